import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runWithRetries } from './command.mjs'

const PLUGIN = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1'

const COPY_JARS = [
  '--batch-mode',
  '--quiet',
  `${PLUGIN}:copy-dependencies`,
  '-DincludeScope=runtime',
  '-DoutputDirectory=lib',
]

/** Fetches jars, named as `group:artifact:version`, and all that they need, into `<folder>/lib`. */
export async function fetchJars(folder, jars) {
  await writeFile(join(folder, 'pom.xml'), pomOf(jars))
  await runWithRetries('mvn', COPY_JARS, { cwd: folder })
}

/** Fetches one archive, named as `group:artifact:version:type:classifier`, and unpacks it into the folder. */
export async function unpackArtifact(folder, artifact) {
  const args = [`-Dartifact=${artifact}`, '-DoutputDirectory=.', '-Dmdep.overWriteReleases=true']
  const command = ['--batch-mode', '--quiet', `${PLUGIN}:unpack`, ...args]
  await runWithRetries('mvn', command, { cwd: folder })
}

export function java() {
  return process.env.JAVA_HOME ? join(process.env.JAVA_HOME, 'bin', 'java') : 'java'
}

function pomOf(jars) {
  const dependencies = jars.map((jar) => {
    const [group, artifact, version] = jar.split(':')
    return `    <dependency>
      <groupId>${group}</groupId>
      <artifactId>${artifact}</artifactId>
      <version>${version}</version>
    </dependency>`
  })
  return `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>posthorn</groupId>
  <artifactId>jars</artifactId>
  <version>1</version>
  <packaging>pom</packaging>
  <dependencies>
${dependencies.join('\n')}
  </dependencies>
</project>
`
}
