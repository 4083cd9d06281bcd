# syntax=docker/dockerfile:1
# The server and the command line: docs/operate/containers.md

FROM node:24-bookworm-slim AS build
WORKDIR /build
COPY . .
# Scripts of packages only fetch binaries, of which none is needed here.
RUN npm ci --ignore-scripts --no-audit --no-fund \
 && mkdir -p node_modules/node/bin && ln -sf "$(command -v node)" node_modules/node/bin/node \
 && node scripts/dashboard.mjs \
 && node scripts/docs.mjs \
 && node scripts/image.mjs --to /image \
 && cp scripts/health.mjs /image/health.mjs

FROM node:24-bookworm-slim
# What installs packages is of no use to those who get in, and a third of the image.
RUN rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack \
    /opt/yarn* /usr/local/bin/yarn* \
 && mkdir /data && chown 10001:10001 /data
COPY --from=build /image /app
WORKDIR /app
# Nobody's account, and a number: Kubernetes must see that it is not root.
USER 10001:10001
ENV NODE_ENV=production HOST=0.0.0.0 PORT=4600 POSTHORN_DATA_DIR=/data POSTHORN_MIGRATE=check
# The rest is never written to: run it read-only, with room below /data and /tmp.
VOLUME /data
EXPOSE 4600
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s CMD ["node", "health.mjs"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "--max-semi-space-size=16", "--heap-growing-percent=50"]
CMD ["apps/server/src/main.ts"]
