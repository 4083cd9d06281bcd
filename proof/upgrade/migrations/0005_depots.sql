-- breaking
-- Code that does not know this step writes `place`, and fails: it is stopped before.
alter table parcels.scan rename column place to depot;
