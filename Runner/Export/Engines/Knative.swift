import Cron
import FunctionKit
import Manifest

// Each function as a service of its own that Knative scales, also to none.
extension Deployment {
  /// In seconds; Knative's own limit, unless an operator raises `max-revision-timeout-seconds`.
  static let longestOnKnative = 600

  var knative: [ExportedFile] {
    get throws(FunctionError) {
      var files: [ExportedFile] = []
      for function in movable {
        var documents = [knativeService(function)]
        for (index, schedule) in function.schedules.enumerated() {
          documents.append(try pingSource(schedule, index, of: function))
        }
        files.append(ExportedFile("\(function.name).yaml", documents.joined(separator: "\n---\n")))
      }
      return files
    }
  }

  private func knativeService(_ function: FunctionEntry) -> String {
    """
    # Written by "runner export knative": the image is that of the Dockerfile beside this file.
    #
    \(function.rowLines(at: "http://\(function.name).NAMESPACE.svc.cluster.local/", engine: "knative").commented())
    apiVersion: serving.knative.dev/v1
    kind: Service
    metadata:
      name: \(function.name)
      labels:
        app.kubernetes.io/part-of: \(name)
        # Only what runs in the cluster reaches it. Remove this line for calls from outside, behind a check of keys.
        networking.knative.dev/visibility: cluster-local
    spec:
      template:
        metadata:
          annotations:
            # Each process holds a connection to the database.
            autoscaling.knative.dev/max-scale: "\(function.concurrency)"
        spec:
          # The host takes one call at a time, and answers 429 to a second.
          containerConcurrency: 1
    \(timeout(of: function))
          containers:
            - image: \(image)
              command: \(flow(["/usr/bin/tini", "-g", "--"] + hostWords(function) + ["--concurrency", "1"]))
              env:
                - name: PUSH_FUNCTION_TIMEOUT
                  value: "\(min(function.timeout, Self.longestOnKnative))"
    \(variables(of: function).indented(by: 12))
              livenessProbe:
                httpGet: {path: /_/health}
              readinessProbe:
                httpGet: {path: /_/ready}
              resources:
                requests: {cpu: 50m, memory: 64Mi}
                limits: {memory: 256Mi}
              securityContext:
                runAsNonRoot: true
                allowPrivilegeEscalation: false
                readOnlyRootFilesystem: true
                capabilities: {drop: [ALL]}
                seccompProfile: {type: RuntimeDefault}
    """
  }

  private func timeout(of function: FunctionEntry) -> String {
    guard function.timeout > Self.longestOnKnative else { return "      timeoutSeconds: \(function.timeout)" }
    return [
      "# functions.json allows \(function.timeout) s. Knative allows \(Self.longestOnKnative), unless config-defaults has",
      "# a higher max-revision-timeout-seconds.", "timeoutSeconds: \(Self.longestOnKnative)",
    ].indented(by: 6)
  }

  private func variables(of function: FunctionEntry) -> [String] {
    function.requiredVariables.flatMap { secretVariable($0, isOptional: false) }
      + function.optionalVariables.flatMap { secretVariable($0, isOptional: true) }
  }

  /// A variable that the function does without is not set while the secret lacks it.
  private func secretVariable(_ variable: String, isOptional: Bool) -> [String] {
    let key = "{name: \"\(name)\", key: \(variable)\(isOptional ? ", optional: true" : "")}"
    return ["- name: \(variable)", "  valueFrom:", "    secretKeyRef: \(key)"]
  }

  /// The command that runs a function in the image.
  func hostWords(_ function: FunctionEntry) -> [String] {
    ["\(home)/bin/runner", "host", function.name, "--project", home]
  }

  private func pingSource(
    _ schedule: ScheduleTrigger, _ index: Int, of function: FunctionEntry
  ) throws(FunctionError) -> String {
    let expression = try CronFields(schedule, of: function, on: "a PingSource of Knative").standard()
    return """
      # No occurrence is caught up (functions.json says: \(schedule.catchUp.rawValue)), and one whose call fails is lost.
      # Leave this out where the runner fires the schedule.
      apiVersion: sources.knative.dev/v1
      kind: PingSource
      metadata:
        name: \(function.name)-\(index + 1)
        labels:
          app.kubernetes.io/part-of: \(name)
      spec:
        schedule: "\(expression)"
        timezone: "\(schedule.timezone)"
        contentType: application/json
        data: "{}"
        sink:
          ref:
            apiVersion: serving.knative.dev/v1
            kind: Service
            name: \(function.name)
      """
  }
}

extension FunctionEntry {
  /// Variables that it needs, and those by which the host checks its callers.
  var requiredVariables: [String] {
    let secrets = [http.secret].compactMap(\.self).filter { !environment.contains($0) }
    return environment.filter { !optional.contains($0) } + secrets
  }

  /// Variables that it can do without.
  var optionalVariables: [String] {
    environment.filter { optional.contains($0) && !Manifest.givenVariables.contains($0) }
  }

  /// How its rows come to it: nothing but a runner reads them.
  func rowLines(at url: String, engine: String) -> [String] {
    guard hasRows else { return ["No rows trigger it."] }
    return [
      "Its rows come from a runner, in order, with retries and dead letters. That runner's functions.json has in the",
      "function's entry, and neither \"mode\" nor \"batch\" nor \"environment\" nor \"rehearses\":",
      "  \"url\": \"\(url)\", \"engine\": \"\(engine)\"",
    ]
  }
}
