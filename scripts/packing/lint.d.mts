export declare function complaintsAbout(tarball: string): Promise<string[]>
