import Manifest

extension Deployment {
  func podSecurity(_ spaces: Int) -> String {
    [
      "securityContext:", "  runAsNonRoot: true", "  runAsUser: 65532", "  runAsGroup: 65532", "  fsGroup: 65532",
      "  seccompProfile: {type: RuntimeDefault}",
    ].indented(by: spaces)
  }

  func containerSecurity(_ spaces: Int) -> String {
    [
      "securityContext:", "  allowPrivilegeEscalation: false", "  readOnlyRootFilesystem: true",
      "  capabilities: {drop: [ALL]}",
    ].indented(by: spaces)
  }

  /// Variables that name files, for those who have them: the file is a key of the secret.
  func pathVariables(_ spaces: Int) -> String {
    let paths = optionalVariables.filter { $0.hasSuffix("_PATH") }
    guard !paths.isEmpty else { return ["# No function asks for a file."].indented(by: spaces) }
    return
      (["# Those of these that you have, with the file as a key of the secret:"]
      + paths.map { "# - {name: \($0), value: /run/secrets/\(name)/\($0)}" }).indented(by: spaces)
  }

  /// More runners while more keys have work: one key never needs two, and a blocked one needs none.
  ///
  /// The scaler's fields: https://keda.sh/docs/latest/scalers/postgresql/
  var scaler: String {
    """
    # Written by "runner export kubernetes": KEDA counts the keys that can run, and sets the number of runners by it.
    #
    # Not the events: those of one key run one after the other, however many runners there are. Never 0 runners, because
    # they fire the schedules. More than 16 need "runner migrate --partitions".
    apiVersion: keda.sh/v1alpha1
    kind: TriggerAuthentication
    metadata:
      name: \(name)
    spec:
      secretTargetRef:
        - parameter: connection
          name: \(name)
          key: DATABASE_URL
    ---
    apiVersion: keda.sh/v1alpha1
    kind: ScaledObject
    metadata:
      name: \(name)
    spec:
      scaleTargetRef:
        name: \(name)
      minReplicaCount: 2
      maxReplicaCount: 16
      pollingInterval: 15
      cooldownPeriod: 300
      triggers:
        - type: postgresql
          authenticationRef:
            name: \(name)
          metadata:
            # Each runner has up to \(manifest.concurrency) processes.
            targetQueryValue: "\(manifest.concurrency * 4)"
            activationTargetQueryValue: "0"
            query: >-
    \(runnableKeys.indented(by: 10))
    """
  }

  /// SQL that gives one number.
  ///
  /// A block of 20,000 events is enough to decide, and keeps the query short when millions wait.
  private var runnableKeys: [String] {
    let names = processes.map { "'\($0.name)'" }.joined(separator: ",")
    let blocking = processes.filter { $0.onFailure == .block }.map { "'\($0.name)'" }.joined(separator: ",")
    let free =
      blocking.isEmpty
      ? []
      : [
        "LEFT JOIN (SELECT DISTINCT function, key FROM (SELECT function, key FROM runner.retries",
        "UNION ALL SELECT function, key FROM runner.dead_letters) AS failed",
        "WHERE function IN (\(blocking))) AS held USING (function, key) WHERE held.function IS NULL",
      ]
    return [
      "SELECT count(*) FROM (SELECT DISTINCT waiting.function, coalesce(waiting.key, partition || '.' || id)",
      "FROM (SELECT function, key, partition, id FROM runner.events",
      "WHERE function IN (\(names)) LIMIT 20000) AS waiting",
    ] + free + [") AS keys"]
  }
}
