// The runner and its migration in containers, for one machine; the database is elsewhere.
extension Deployment {
  var compose: [ExportedFile] { [ExportedFile("compose.yaml", composeFile)] }

  private var composeFile: String {
    """
    # Written by "runner export compose": docker compose -f THIS-FILE up --detach --wait
    #
    # An upgrade is the same command with a new image: the migration runs first, then the runner is replaced.
    # Secrets are files, one each, in the folder secrets beside this file. They keep their owner in the container, so
    # let user 65532 read them: chown 65532 secrets/* && chmod 400 secrets/*
    #
    # The runner fires the schedules itself, in their time zones, and catches up after a pause:
    \((scheduleLines.isEmpty ? ["(none)"] : scheduleLines).commented("# "))
    name: \(name)

    x-bundle: &bundle
      image: \(image)
      build:
        context: ${SOURCES:-../..}
        dockerfile: deploy/compose/Dockerfile
        # The commit that --version tells: as the Dockerfile says.
        args: ["\(Self.commitVariable)=${\(Self.commitVariable):-}"]
      read_only: true
      tmpfs: [/tmp]
      cap_drop: [ALL]
      security_opt: ["no-new-privileges:true"]
      environment: &environment
        # The runner reads a variable that is not set from the file of its name.
        CREDENTIALS_DIRECTORY: /run/secrets
    \(optionalVariables.filter { $0.hasSuffix("_PATH") }.map { "    # \($0): /run/secrets/\($0)" }.joined(separator: "\n"))
      secrets: [\(requiredVariables.joined(separator: ", "))]

    services:
      migrate:
        <<: *bundle
        command: ["\(home)/bin/runner", "migrate", "--project", "\(home)"]
        restart: "no"

      runner:
        <<: *bundle
        command: \(flow(["\(home)/bin/runner"] + serveWords))
        depends_on:
          migrate:
            condition: service_completed_successfully
        environment:
          <<: *environment
          # The names by which clients call; "runner" is the one in this network.
          RUNNER_HOSTS: runner ${RUNNER_HOSTS:-}
        # Only this machine; a proxy with TLS stands in front of it. A second runner is another project from the same file:
        #   PUBLISHED_PORT=\(Self.port + 1) docker compose --project-name \(name)-2 -f THIS-FILE up --detach --wait
        ports: ["127.0.0.1:${PUBLISHED_PORT:-\(Self.port)}:\(Self.port)"]
        volumes: ["state:/var/lib/\(name)"]
        healthcheck:
          test: ["CMD", "\(home)/bin/runner", "status", "--project", "\(home)", "--state-dir", "/var/lib/\(name)"]
          interval: 10s
          start_period: 90s
        restart: unless-stopped
        # \(Self.drainSeconds) s of drain, 10 for what runs, 5 for answers, and some to end processes.
        stop_grace_period: \(Self.stopSeconds)s

    volumes:
      state:

    # For each of these that you have, add it to "secrets" of x-bundle as well: \(optionalVariables.joined(separator: ", "))
    secrets:
    \(requiredVariables.map { "  \($0):\n    file: ./secrets/\($0)" }.joined(separator: "\n"))
    """
  }
}
