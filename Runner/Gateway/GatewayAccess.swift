package import FunctionKit
package import Manifest

/// The rules who may call the gateway: its host names, its key, and the signatures that count.
package struct GatewayAccess: Sendable {
  /// The environment variable with the proxies whose word counts about who calls.
  package static let proxiesVariable = TrustedProxies.variable
  /// The environment variable with further host names of the gateway, separated by spaces.
  package static let hostsVariable = "RUNNER_HOSTS"

  /// The key for functions with ``HTTPTrigger/Auth/key``, for the gateway's own figures and for pages.
  ///
  /// Without one, those are for callers on this machine only, or for whom an engine lets in.
  let key: RunnerKey?
  /// The check of calls from web pages; `nil` behind an engine, which decides about names and callers itself.
  let origins: OriginCheck?
  /// Pages of other sites that may call functions with ``HTTPTrigger/Auth/function``.
  let crossOrigin: CrossOrigin
  /// The secrets of functions with ``HTTPTrigger/Auth/signature``, by their names.
  let secrets: [String: WebhookSecrets]
  /// Whether an event keeps the source that its sender gave it: behind an engine, which answers for the sender.
  let keepsSources: Bool
  /// The proxies whose word counts about who calls.
  let proxies: TrustedProxies
  /// The memory limit of all bodies together, in MiB.
  package let bodyMemory: Int

  /// - Parameters:
  ///   - trustedProxies: networks and addresses; those of the environment's variable unless given.
  ///   - isBehindEngine: whether an engine, such as Knative, stands between callers and the gateway.
  /// - Throws: ``FunctionError`` if other machines could reach the address without a key, or if a key or secret is
  ///   missing or unusable.
  package init(
    host: String, manifest: Manifest, environment: FunctionKit.Environment, trustedProxies: String? = nil,
    isBehindEngine: Bool = false
  ) throws(FunctionError) {
    key = try RunnerKey(environment)
    guard key != nil || Self.isLoopback(host) || isBehindEngine else {
      throw FunctionError(
        .usage,
        "Other machines can reach \(host), and calls need no key: set \(Settings.keyVariable), "
          + "or use 127.0.0.1 or ::1.")
    }
    let names = environment[Self.hostsVariable]?.split(separator: " ").map(String.init) ?? []
    let open = OriginCheck(hosts: [host] + names, from: Self.hostsVariable)
    origins = isBehindEngine ? nil : Self.isLoopback(host) ? OriginCheck() : open
    keepsSources = isBehindEngine
    do {
      crossOrigin = try CrossOrigin(environment[CrossOrigin.variable])
    } catch {
      throw FunctionError(
        .misconfigured, "\(CrossOrigin.variable) must list origins such as https://app.example.com, not \(error.text).")
    }
    proxies = try TrustedProxies(trustedProxies ?? environment[TrustedProxies.variable])
    bodyMemory = try BodyMemory.mebibytes(environment)
    var secrets: [String: WebhookSecrets] = [:]
    for entry in manifest.functions {
      if let variable = entry.http.secret { secrets[entry.name] = try WebhookSecrets(variable, of: environment) }
    }
    self.secrets = secrets
  }

  /// Advice on what is to be set where a proxy forwards calls; `nil` if nothing is.
  package var advice: StaticString? { key == nil && !keepsSources && !proxies.isEmpty ? Self.advice : nil }

  /// The same, for the runner that an environment would start.
  package static func advice(_ environment: FunctionKit.Environment) -> StaticString? {
    environment[Settings.keyVariable] == nil && environment[proxiesVariable] != nil ? advice : nil
  }

  private static let advice: StaticString =
    "There are trusted proxies and no key: calls that need one are refused if a proxy forwards them. Set RUNNER_KEY"

  private static func isLoopback(_ host: String) -> Bool { ["127.0.0.1", "::1"].contains(host) }
}
