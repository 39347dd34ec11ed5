import Manifest

// Several runners in a cluster; PostgreSQL is where they meet, so they need no rights there.
extension Deployment {
  var kubernetes: [ExportedFile] {
    [
      ExportedFile("runner.yaml", [serviceAccount, service, disruptionBudget, runners].joined(separator: "\n---\n")),
      ExportedFile("migrate.yaml", migrationJob), ExportedFile("keda.yaml", scaler),
      ExportedFile("network.yaml", networkPolicy), ExportedFile("kustomization.yaml", kustomization),
    ] + outside
  }

  /// The resources that every cluster knows; the Ingress as soon as the export has names for it.
  private var kustomization: String {
    let files = ["network.yaml", "migrate.yaml", "runner.yaml"] + (hosts.isEmpty ? [] : outside.map(\.path).prefix(1))
    return """
      # Written by "runner export kubernetes": kubectl apply -k THIS-FOLDER --namespace NAMESPACE
      #
      # Everything lies in one namespace, and names none. A second tenant has a namespace of its own with its own secret
      # \(name), and so a database of its own.
      #
      # Apply by itself (kubectl apply -f) what a cluster may not know: route.yaml, of the Gateway API, in place of the
      # Ingress, and keda.yaml. The Ingress is a part of this if the export has got its names by --host-name.
      apiVersion: kustomize.config.k8s.io/v1beta1
      kind: Kustomization
      resources: \(flow(files))
      """
  }

  private var serviceAccount: String {
    """
    # Written by "runner export kubernetes": kubectl apply -k of this folder, or -f runner.yaml after migrate.yaml.
    #
    # Secrets come from the secret \(name), each key a variable; it is mounted as files:
    #   kubectl create secret generic \(name) \(requiredVariables.map { "--from-file=\($0)" }.joined(separator: " "))
    #
    # The runners fire the schedules themselves, each occurrence once, in their time zones, and catch up after a pause:
    \((scheduleLines.isEmpty ? ["(none)"] : scheduleLines).commented("# "))
    apiVersion: v1
    kind: ServiceAccount
    metadata:
      name: \(name)
    automountServiceAccountToken: false
    """
  }

  private var service: String {
    """
    apiVersion: v1
    kind: Service
    metadata:
      name: \(name)
      labels:
        app.kubernetes.io/name: \(name)
    spec:
      selector:
        app.kubernetes.io/name: \(name)
      ports:
        - name: http
          port: 80
          targetPort: http
    """
  }

  private var disruptionBudget: String {
    """
    apiVersion: policy/v1
    kind: PodDisruptionBudget
    metadata:
      name: \(name)
    spec:
      maxUnavailable: 1
      selector:
        matchLabels:
          app.kubernetes.io/name: \(name)
    """
  }

  private var runners: String {
    """
    apiVersion: apps/v1
    kind: Deployment
    metadata:
      name: \(name)
      labels:
        app.kubernetes.io/name: \(name)
    spec:
      # Two, so that one may go: the other takes its events over at once. keda.yaml sets the number where it is applied.
      replicas: 2
      selector:
        matchLabels:
          app.kubernetes.io/name: \(name)
      strategy:
        rollingUpdate:
          # Each runner holds connections: "runner doctor --replicas 3" compares them with max_connections.
          maxSurge: 1
          maxUnavailable: 0
      template:
        metadata:
          labels:
            app.kubernetes.io/name: \(name)
        spec:
          serviceAccountName: \(name)
          automountServiceAccountToken: false
          # A service called "runner" would set RUNNER_PORT.
          enableServiceLinks: false
    \(topologySpread(6))
          # \(Self.drainSeconds) s of drain, 10 for what runs, 5 for answers, and some to end processes.
          terminationGracePeriodSeconds: \(Self.stopSeconds)
    \(podSecurity(6))
          containers:
            - name: runner
              image: \(image)
              command: ["/usr/bin/tini", "-g", "--", "\(home)/bin/runner"]
              args: \(flow(serveWords))
              ports:
                - name: http
                  containerPort: \(Self.port)
              env:
                # The runner reads a variable that is not set from the file of its name.
                - name: CREDENTIALS_DIRECTORY
                  value: /run/secrets/\(name)
                - name: POD_IP
                  valueFrom:
                    fieldRef: {fieldPath: status.podIP}
                - name: POD_NAMESPACE
                  valueFrom:
                    fieldRef: {fieldPath: metadata.namespace}
                # The names by which clients call: those of the service, in a cluster whose domain is cluster.local, the
                # pod's address, by which Prometheus asks, and those of --host-name.
                - name: RUNNER_HOSTS
                  value: "\(names.joined(separator: " "))"
                # The network of the pods, if what forwards calls from outside runs in one: limits go by the callers'
                # addresses, which X-Forwarded-For then tells.
                # - {name: RUNNER_TRUSTED_PROXIES, value: 10.0.0.0/8}
    \(pathVariables(12))
              # The process answers; never the database, whose absence a restart does not mend.
              livenessProbe:
                httpGet: \(probe("health"))
                periodSeconds: 10
                failureThreshold: 6
              # The database answers, and the runner is not about to end.
              readinessProbe:
                httpGet: \(probe("ready"))
                periodSeconds: 3
                failureThreshold: 2
              # It waits a minute for a database that starts.
              startupProbe:
                httpGet: \(probe("health"))
                periodSeconds: 2
                failureThreshold: 60
              # With every function started, all processes together take 150 MiB (PSS, the limit in "make bench"); the
              # bodies of calls may take 64 more (RUNNER_BODY_MEMORY).
              resources:
                requests: {cpu: 250m, memory: 256Mi}
                limits: {memory: 2Gi}
    \(containerSecurity(10))
              volumeMounts:
                - {name: secrets, mountPath: "/run/secrets/\(name)", readOnly: true}
                - {name: state, mountPath: "/var/lib/\(name)"}
                - {name: tmp, mountPath: /tmp}
          volumes:
            - name: secrets
              secret: {secretName: "\(name)", defaultMode: 0440}
            - name: state
              emptyDir: {}
            - name: tmp
              emptyDir: {}
    """
  }

  /// The names by which a pod is called; Kubernetes puts in what is in parentheses.
  private var names: [String] {
    let service = "\(name).$(POD_NAMESPACE)"
    return [name, service, "\(service).svc", "\(service).svc.cluster.local", "$(POD_IP)"] + hosts
  }

  /// The two runners stand apart where there is room; where there is none, both run all the same.
  private func topologySpread(_ spaces: Int) -> String {
    let places = ["kubernetes.io/hostname", "topology.kubernetes.io/zone"].flatMap { key in
      [
        "  - maxSkew: 1", "    topologyKey: \(key)", "    whenUnsatisfiable: ScheduleAnyway",
        "    labelSelector: {matchLabels: {app.kubernetes.io/name: \(name)}}",
        "    matchLabelKeys: [pod-template-hash]",
      ]
    }
    let lines = ["# On different nodes and in different zones, where there are any.", "topologySpreadConstraints:"]
    return (lines + places).indented(by: spaces)
  }

  /// The kubelet asks by the pod's address, which is none of the gateway's names.
  private func probe(_ what: String) -> String {
    "{path: /_/\(what), port: http, httpHeaders: [{name: Host, value: localhost}]}"
  }

  /// The name of the migration by this image; its end tells the version.
  private var jobName: String {
    let version = imageVersion.lowercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" }
    let parts = version.suffix(Self.longestLabel - "\(name)-migrate-".count).split(separator: "-")
    return ([name, "migrate"] + parts.map { String($0) }).joined(separator: "-")
  }

  private var migrationJob: String {
    """
    # Written by "runner export kubernetes": before runner.yaml, with the new image:
    #   kubectl apply -f migrate.yaml
    #   kubectl wait --for=condition=complete --timeout=10m job/\(jobName)
    # It needs the right to make tables; its DATABASE_URL may be another role's than the runners'.
    #
    # A job cannot be changed. This one is called after the version of its image (--image), so the next version's is
    # another one. Where an image keeps its tag (such as "latest"), where this file has changed, or to try again what has
    # failed: kubectl delete job \(jobName)
    apiVersion: batch/v1
    kind: Job
    metadata:
      name: \(jobName)
      labels:
        app.kubernetes.io/name: \(name)-migrate
    spec:
      backoffLimit: 3
      # It is gone after a day.
      ttlSecondsAfterFinished: 86400
      template:
        metadata:
          labels:
            app.kubernetes.io/name: \(name)-migrate
        spec:
          restartPolicy: Never
          automountServiceAccountToken: false
          enableServiceLinks: false
    \(podSecurity(6))
          containers:
            - name: migrate
              image: \(image)
              command: ["\(home)/bin/runner"]
              args: \(flow(["migrate", "--project", home]))
              env:
                - name: CREDENTIALS_DIRECTORY
                  value: /run/secrets/\(name)
              resources:
                requests: {cpu: 100m, memory: 128Mi}
    \(containerSecurity(10))
              volumeMounts:
                - {name: secrets, mountPath: "/run/secrets/\(name)", readOnly: true}
                - {name: tmp, mountPath: /tmp}
          volumes:
            - name: secrets
              secret: {secretName: "\(name)", defaultMode: 0440}
            - name: tmp
              emptyDir: {}
    """
  }
}

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
