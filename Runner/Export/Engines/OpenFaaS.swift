import FunctionKit
import Manifest

// Each function as an image of its own that OpenFaaS runs.
extension Deployment {
  var openFaaS: [ExportedFile] {
    get throws(FunctionError) {
      [
        ExportedFile("stack.yaml", try stack), ExportedFile("Dockerfile", functionDockerfile),
        ExportedFile("Dockerfile.dockerignore", dockerIgnore + "\n!deploy/openfaas/entrypoint.sh"),
        ExportedFile("entrypoint.sh", entrypoint),
      ]
    }
  }

  /// Source of its fields: https://github.com/openfaas/faas-cli/blob/master/stack/schema.go.
  private var stack: String {
    get throws(FunctionError) {
      var entries: [String] = []
      for function in movable { entries.append(try entry(of: function)) }
      return """
        # Written by "runner export openfaas". Build and push the image of each function, then deploy them:
        #   docker build -f Dockerfile --build-arg FUNCTION=NAME -t \(imageBase)-NAME:\(imageTag) SOURCES
        #   faas-cli deploy -f stack.yaml
        # The host in the images answers /_/health and /_/ready on port \(Self.functionPort): they have no watchdog.
        # Secrets are made beforehand: \(secretNames.joined(separator: ", "))
        version: 1.0
        provider:
          name: openfaas
          gateway: http://127.0.0.1:8080
        functions:
        \(entries.joined(separator: "\n"))
        """
    }
  }

  private func entry(of function: FunctionEntry) throws(FunctionError) -> String {
    var lines = ["  \(function.name):"]
    let rows = function.rowLines(at: "http://gateway.openfaas:8080/function/\(function.name)", engine: "openfaas")
    lines += rows.map { "    # \($0)" }
    lines += [
      "    image: \(imageBase)-\(function.name):\(imageTag)", "    skip_build: true",
      "    readonly_root_filesystem: true",
      "    environment:", "      PUSH_FUNCTION_TIMEOUT: \"\(function.timeout)\"",
    ]
    if !function.requiredVariables.isEmpty {
      lines += ["    secrets:"] + function.requiredVariables.map { "      - \(Self.secretName($0))" }
    }
    if !function.optionalVariables.isEmpty {
      lines += ["      # Remove the mark in front of those that you have; a missing secret would stop the function."]
      lines +=
        (function.requiredVariables.isEmpty ? ["    #secrets:"] : [])
        + function.optionalVariables.map { "      #- \(Self.secretName($0))" }
    }
    lines += ["    labels:", "      com.openfaas.scale.max: \"\(function.concurrency)\""]
    lines += try annotations(of: function)
    lines += ["    limits:", "      memory: 256Mi", "    requests:", "      cpu: 50m", "      memory: 64Mi"]
    return lines.joined(separator: "\n")
  }

  /// The annotations for cron-connector: five fields in UTC, several with semicolons between them.
  private func annotations(of function: FunctionEntry) throws(FunctionError) -> [String] {
    var expressions: [String] = []
    for schedule in function.schedules {
      guard ["UTC", "Etc/UTC"].contains(schedule.timezone) else {
        throw FunctionError(
          .misconfigured,
          "functions.json: functions.\(function.name) has a schedule in \(schedule.timezone), which OpenFaaS cannot "
            + "express: the runner can.")
      }
      expressions.append(try CronFields(schedule, of: function, on: "OpenFaaS").standard())
    }
    guard !expressions.isEmpty else { return [] }
    return [
      "    # Read by cron-connector: no occurrence is caught up, and each of its replicas fires. Leave this out where the",
      "    # runner fires the schedule.", "    annotations:", "      topic: cron-function",
      "      schedule: \"\(expressions.joined(separator: ";"))\"",
    ]
  }

  private var secretNames: [String] { Set(movable.flatMap(\.requiredVariables)).sorted().map(Self.secretName) }

  /// Secrets of Kubernetes have names as DNS has them.
  private static func secretName(_ variable: String) -> String {
    variable.lowercased().replacing("_", with: "-")
  }

  private var imageBase: String { imageParts.base }
  private var imageTag: String { imageParts.tag }

  private var functionDockerfile: String {
    """
    # Written by "runner export openfaas": the image of one function, with the host that runs it. The context is the folder
    # of functions.json. With \(Self.commitArgument) its
    # programs tell the commit (--version).
    \(buildStage)
    ARG FUNCTION
    RUN install -D -m 0755 -s -t /out/bin .build/release/runner ".build/release/${FUNCTION}"

    \(runtimeStage)
    COPY --from=build /out/bin \(home)/bin
    COPY functions.json \(home)/functions.json\(languages.map { "\nCOPY \($0) \(home)/\($0)" }.joined())
    COPY --chmod=0755 deploy/openfaas/entrypoint.sh /usr/local/bin/entrypoint
    ARG FUNCTION
    ENV FUNCTION=${FUNCTION}
    USER 65532:65532
    EXPOSE \(Self.functionPort)
    ENTRYPOINT ["/usr/bin/tini", "-g", "--", "/usr/local/bin/entrypoint"]
    """
  }

  private var entrypoint: String {
    """
    #!/bin/sh
    # Written by "runner export openfaas": gives the function the secrets that OpenFaaS has mounted as files.
    # database-url becomes DATABASE_URL.
    for file in /var/openfaas/secrets/*; do
      [ -f "$file" ] || continue
      name=$(basename "$file" | tr 'a-z-' 'A-Z_')
      export "$name=$(cat "$file")"
    done
    exec \(home)/bin/runner host "$FUNCTION" --project \(home) --host 0.0.0.0 --port \(Self.functionPort) --open \\
      --concurrency 1
    """
  }
}
