import Manifest

// Who may call the runners in a cluster, and whom they may call.
extension Deployment {
  /// The policy of the runners' pods, and of those that migrate.
  var networkPolicy: String {
    """
    # Written by "runner export kubernetes": who may call the runners, and what they and the migration may reach.
    #
    # Pods of this namespace may call, and those of namespaces that are allowed to, such as the one of your Ingress or
    # Gateway, and the one of Prometheus:
    #   kubectl label namespace NAMESPACE \(name)/calls=allowed
    apiVersion: networking.k8s.io/v1
    kind: NetworkPolicy
    metadata:
      name: \(name)
    spec:
      podSelector:
        matchExpressions:
          - {key: app.kubernetes.io/name, operator: In, values: [\(name), \(name)-migrate]}
      policyTypes: [Ingress, Egress]
      ingress:
        - from:
            - podSelector: {}
            - namespaceSelector:
                matchLabels: {\(name)/calls: allowed}
          ports:
            - {protocol: TCP, port: \(Self.port)}
      egress:
        # Names. (OpenShift's DNS listens on 5353.)
        - ports: [{protocol: UDP, port: 53}, {protocol: TCP, port: 53}]
        # Everything in this namespace, such as a database or a collector of traces.
        - to: [{podSelector: {}}]
        # HTTPS, Apple's other port, PostgreSQL and a pooler, wherever they are. Add what else is called: functions
        # elsewhere, a proxy. Most networks of clusters go by the port of the pod, not of the service before it.
        - ports:
            - {protocol: TCP, port: 443}
            - {protocol: TCP, port: 2197}
            - {protocol: TCP, port: 5432}
            - {protocol: TCP, port: 6543}
    """
  }

  /// The Ingress and the HTTPRoute; a cluster applies one of them.
  ///
  /// Empty if no function is called from outside.
  var outside: [ExportedFile] {
    publicMatches.isEmpty ? [] : [ExportedFile("ingress.yaml", ingress), ExportedFile("route.yaml", route)]
  }

  private var outsideHosts: [String] { hosts.isEmpty ? ["push.example.com"] : hosts }

  private var ingress: String {
    """
    # Written by "runner export kubernetes": TLS, and of the runner only what clients may call.
    #
    \(outsideLines.commented())
    # The certificate is the secret \(name)-tls:
    #   kubectl create secret tls \(name)-tls --cert=fullchain.pem --key=privkey.pem
    apiVersion: networking.k8s.io/v1
    kind: Ingress
    metadata:
      name: \(name)
      labels:
        app.kubernetes.io/name: \(name)
    spec:
      # Without an ingressClassName it is for the cluster's default class.
      tls:
        - hosts: \(flow(outsideHosts))
          secretName: \(name)-tls
      rules:
    \(outsideHosts.flatMap(ingressRule).indented(by: 4))
    """
  }

  private func ingressRule(_ host: String) -> [String] {
    ["- host: \"\(host)\"", "  http:", "    paths:"]
      + publicMatches.map { match in
        "      - {path: \"\(match.path)\", pathType: \(match.isPrefix ? "Prefix" : "Exact"), "
          + "backend: {service: {name: \(name), port: {name: http}}}}"
      }
  }

  private var route: String {
    // A rule may have 64 matches, and a route 128.
    stride(from: 0, to: publicMatches.count, by: 64).map { start in
      """
      # Written by "runner export kubernetes": of the runner only what clients may call. In place of ingress.yaml.
      #
      \(outsideLines.commented())
      # Put the name of your Gateway, and its namespace, in place of those below; its listener has the certificate.
      apiVersion: gateway.networking.k8s.io/v1
      kind: HTTPRoute
      metadata:
        name: \(start == 0 ? name : "\(name)-\(start / 64 + 1)")
        labels:
          app.kubernetes.io/name: \(name)
      spec:
        parentRefs:
          - {name: gateway, namespace: gateway}
        hostnames: \(flow(outsideHosts))
        rules:
          - matches:
      \(publicMatches[start...].prefix(64).map(routeMatch).indented(by: 8))
            backendRefs:
              - {name: \(name), port: 80}
      """
    }.joined(separator: "\n---\n")
  }

  private func routeMatch(_ match: (path: String, isPrefix: Bool)) -> String {
    "- path: {type: \(match.isPrefix ? "PathPrefix" : "Exact"), value: \"\(match.path)\"}"
  }

  private var outsideLines: [String] {
    let placeholder = "Put the name of your server in place of push.example.com, or export with --host-name: the runner"
    let left = publicPaths.filter { $0.hasPrefix("/{") }.once
    return [
      "Everything else stays closed outside: /_/health, /_/ready, /_/state, /_/console/, /metrics, and functions",
      "without an \"http\" trigger. A path with a parameter is let in by the text before it, with all that lies below;",
      "the runner answers 404 there to what is none of its routes.",
    ] + (left.isEmpty ? [] : ["Left out, because it would let in everything: \(left.joined(separator: ", "))"])
      + (hosts.isEmpty ? [placeholder, "refuses other names than its own (RUNNER_HOSTS)."] : [])
  }

  /// The matches of the public paths: each by itself, or all below the text before the first parameter.
  private var publicMatches: [(path: String, isPrefix: Bool)] {
    let (exact, open) = publicPaths.once.reduce(into: ([String](), [String]())) { parts, path in
      guard let parameter = path.firstIndex(of: "{") else { return parts.0.append(path) }
      let prefix = path[..<parameter].dropLast()
      if !prefix.isEmpty { parts.1.append(String(prefix)) }
    }
    func isBelow(_ path: String, _ prefix: String) -> Bool { path.hasPrefix("\(prefix)/") }
    let prefixes = open.once.filter { path in !open.contains { isBelow(path, $0) } }
    let single = exact.filter { path in !prefixes.contains { path == $0 || isBelow(path, $0) } }
    return single.map { (path: $0, isPrefix: false) } + prefixes.map { (path: $0, isPrefix: true) }
  }
}
