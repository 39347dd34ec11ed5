// For a machine that is no Linux, such as a Mac: everything in containers, with the sources from outside.
extension Deployment {
  /// The files of a folder `.devcontainer` beside `functions.json`.
  package var development: [ExportedFile] {
    [
      ExportedFile("Dockerfile", developmentImage), ExportedFile("compose.yaml", developmentCompose),
      ExportedFile("devcontainer.json", devcontainer),
    ]
  }

  private var developmentImage: String {
    """
    # Written by "runner export compose --dev": what building, serving and testing need.
    FROM swift:6.2-bookworm
    # hadolint ignore=DL3008
    RUN apt-get update \\
      && apt-get install -y --no-install-recommends \\
        ca-certificates curl git libcurl4-openssl-dev libnghttp2-dev libpq-dev libssl-dev make openssl pkg-config \\
        postgresql postgresql-client procps python3 python3-venv tini tzdata \\
      && rm -rf /var/lib/apt/lists/*
    WORKDIR /workspace
    # Behind the system's own programs: one of the functions is called "echo".
    ENV PATH="${PATH}:/workspace/.build/debug"
    # The sources from outside may belong to another user.
    ENV PUSH_FUNCTIONS_SAFE_DIRECTORY=/workspace
    ENTRYPOINT ["/usr/bin/tini", "-g", "--"]
    """
  }

  private var developmentCompose: String {
    """
    # Written by "runner export compose --dev": docker compose -f .devcontainer/compose.yaml up
    #
    # Builds the sources of this folder and serves them, with the push emulator and the story. Then
    #   curl -H "apikey: development-only" http://127.0.0.1:\(Self.port)/functions/v1/echo -d '{"hello":"world"}'
    #   psql postgres://app@127.0.0.1:54322/app
    #   docker compose -f .devcontainer/compose.yaml exec runner runner pushes
    # The console is at http://127.0.0.1:\(Self.port)/_/console/; its key is "development-only".
    name: \(name)-dev

    services:
      postgres:
        image: postgres:17
        environment:
          POSTGRES_USER: app
          POSTGRES_DB: app
          # Only the network of these containers reaches it, and 127.0.0.1.
          POSTGRES_HOST_AUTH_METHOD: trust
        ports: ["127.0.0.1:54322:5432"]
        volumes: ["database:/var/lib/postgresql/data"]
        healthcheck:
          test: ["CMD", "pg_isready", "-h", "127.0.0.1", "-U", "app"]
          interval: 2s
          retries: 30

      runner:
        build: .
        command: ["Runner/up", "--database", "--emulator", "--host", "0.0.0.0", "--watch"]
        depends_on:
          postgres:
            condition: service_healthy
        environment:
          DATABASE_URL: postgres://app@postgres/app
          # Other addresses than the loopback need a key: this one is for trying out.
          RUNNER_KEY: ${RUNNER_KEY:-development-only}
        ports: ["127.0.0.1:\(Self.port):\(Self.port)"]
        volumes:
          - ..:/workspace
          # What is built for Linux stays out of your folder, and so does the runner's state.
          - build:/workspace/.build
          - state:/workspace/.runner
        stop_grace_period: 30s

    volumes:
      build:
      database:
      state:
    """
  }

  private var devcontainer: String {
    """
    {
      "name": "\(name)",
      "dockerComposeFile": "compose.yaml",
      "service": "runner",
      "workspaceFolder": "/workspace",
      "forwardPorts": [\(Self.port)],
      "customizations": {
        "vscode": {
          "extensions": ["swiftlang.swift-vscode"]
        }
      }
    }
    """
  }
}
