// The image: all programs, built in one stage and copied into a small one.
extension Deployment {
  var dockerFiles: [ExportedFile] {
    [ExportedFile("Dockerfile", dockerfile), ExportedFile("Dockerfile.dockerignore", dockerIgnore)]
  }

  /// Where the bundle lies in the image.
  var home: String { "/opt/\(name)" }

  private var dockerfile: String {
    """
    # Written by "runner export": from the folder of functions.json, docker build -f THIS-FILE -t \(image) .
    # With \(Self.commitArgument) its programs tell the commit (--version).
    # With --build-arg \(Self.icuVariable)=libicu72 it has ICU, for times and numbers of other languages: 39 MB more.
    #
    # The image has the runner and every function. Its command is the runner; \(home)/bin/NAME is a function.
    #   docker run -e DATABASE_URL=postgres://… \(image) \(home)/bin/runner migrate
    #   prepares the database. Then
    #   docker run -e DATABASE_URL=postgres://… -p \(Self.port):\(Self.port) \(image)
    #   serves. Its log says the key that calls need, unless RUNNER_KEY is set. RUNNER_HOSTS has the names by which others
    #   call it, besides localhost.
    \(buildStage)
    # Two files hold all programs, so that processes share their pages; each name is a link to one of them.
    RUN mkdir -p /out/bin && Runner/link --into /out/bin \\
    \((otherPrograms + ["--"] + functionPrograms).map { "    \($0)" }.joined(separator: " \\\n"))

    \(scripts.isEmpty ? smallStage : runtimeStage)
    \(bundle)
    ARG \(Self.commitVariable)
    LABEL org.opencontainers.image.revision="${\(Self.commitVariable)}"
    USER 65532:65532
    # For commands beside the one that serves: docker exec CONTAINER \(home)/bin/runner status
    ENV RUNNER_STATE_DIR=/var/lib/\(name)
    WORKDIR \(home)
    EXPOSE \(Self.port)
    # tini passes signals on, and takes in processes whose parents have ended.
    ENTRYPOINT ["/usr/bin/tini", "-g", "--"]
    CMD ["\(home)/bin/runner", "serve", "--project", "\(home)", "--state-dir", "/var/lib/\(name)", \
    "--host", "0.0.0.0", "--make-key"]
    """
  }

  /// The argument of a build with the commit, as `Runner/install` writes it for its own builds.
  static let commitVariable = "PUSH_FUNCTIONS_COMMIT"
  static let commitArgument =
    "--build-arg \(commitVariable)=$(git describe --always --exclude='*' --abbrev=12 --dirty=+)"

  /// The argument of a build with the package of ICU, which would make every image half as large again.
  static let icuVariable = "ICU"

  var buildStage: String {
    """
    FROM swift:6.2-bookworm AS build
    ARG \(Self.icuVariable)=
    # hadolint ignore=DL3008
    RUN apt-get update \\
      && apt-get install -y --no-install-recommends \\
        ca-certificates libcurl4-openssl-dev libnghttp2-dev libpq-dev libssl-dev pkg-config tini tzdata \\
        ${\(Self.icuVariable):+"${\(Self.icuVariable)}"} \\
      && rm -rf /var/lib/apt/lists/*
    WORKDIR /source
    COPY . .
    ARG \(Self.commitVariable)
    RUN swift build -c release
    """
  }

  /// The image has what the programs load and no shell, like the one that `Runner/image` makes.
  private var smallStage: String {
    """
    RUN Runner/base --with "${\(Self.icuVariable)}" /base /out/bin/* && mkdir -p /state/\(name)

    FROM scratch
    COPY --from=build /base/ /
    COPY --from=build --chown=65532:65532 /state/ /var/lib/
    """
  }

  /// For what needs an interpreter.
  var runtimeStage: String {
    """
    FROM debian:bookworm-slim
    ARG \(Self.icuVariable)=
    # hadolint ignore=DL3008
    RUN apt-get update \\
      && apt-get install -y --no-install-recommends \\
        ca-certificates libcurl4 libnghttp2-14 libpq5 libssl3 tini tzdata\(scripts.isEmpty ? "" : " python3") \\
        ${\(Self.icuVariable):+"${\(Self.icuVariable)}"} \\
      && rm -rf /var/lib/apt/lists/* \\
      && mkdir -p /var/lib/\(name) && chown 65532:65532 /var/lib/\(name)
    """
  }

  /// Programs, `functions.json`, and what it names.
  private var bundle: String {
    let folders = (migrations + languages).map { "COPY \($0) \(home)/\($0)" }
    let files = scripts.map { "COPY \($0) \(home)/\($0)" }
    return (["COPY --from=build /out/bin \(home)/bin", "COPY functions.json \(home)/functions.json"] + folders + files)
      .joined(separator: "\n")
  }

  var dockerIgnore: String {
    """
    # Written by "runner export": what does not belong into an image, or into a layer before it.
    **/.build
    .git
    **/.runner
    **/runner-key
    **/serving.lock\(state.map { "\n\($0)" } ?? "")
    **/.env*
    **/*.key
    **/*.p12
    **/*.p8
    **/*.pem
    **/secrets
    # A service account is a file of JSON. The build takes in these; name others that yours needs.
    **/*.json
    !functions.json
    !Functions/*/Documents/*.json
    !Runner/*/*.schema.json
    deploy
    """
  }
}
