package import FunctionKit
package import Manifest

/// Who may reach the gateway: under which names, with which key, and whose signatures count.
package struct GatewayAccess: Sendable {
  /// The environment variable with further host names of the gateway, apart by spaces.
  package static let hostsVariable = "RUNNER_HOSTS"

  /// What functions with ``HTTPTrigger/Auth/key`` and the gateway's own figures ask for; `nil` lets everybody in.
  let key: RunnerKey?
  let origins: OriginCheck
  /// Pages of other sites that may call functions with ``HTTPTrigger/Auth/function``.
  let crossOrigin: CrossOrigin
  /// By the names of the functions with ``HTTPTrigger/Auth/signature``.
  let secrets: [String: WebhookSecrets]
  /// What all bodies together may take, in MiB.
  package let bodyMemory: Int

  /// - Throws: ``FunctionError`` where an address could be reached from outside without a key, or a key or secret is
  ///   missing or unusable.
  package init(
    host: String, manifest: Manifest, environment: FunctionKit.Environment
  ) throws(FunctionError) {
    key = try RunnerKey(environment)
    guard key != nil || Self.isLoopback(host) else {
      throw FunctionError(
        .usage,
        "\(host) can be reached from outside, and calls are not authenticated: set \(Settings.keyVariable), "
          + "or use 127.0.0.1 or ::1.")
    }
    let names = environment[Self.hostsVariable]?.split(separator: " ").map(String.init) ?? []
    origins = OriginCheck(hosts: Self.isLoopback(host) ? [] : [host] + names)
    do {
      crossOrigin = try CrossOrigin(environment[CrossOrigin.variable])
    } catch {
      throw FunctionError(
        .misconfigured, "\(CrossOrigin.variable) must list origins such as https://app.example.com, not \(error.text).")
    }
    bodyMemory = try BodyMemory.mebibytes(environment)
    var secrets: [String: WebhookSecrets] = [:]
    for entry in manifest.functions {
      if let variable = entry.http.secret { secrets[entry.name] = try WebhookSecrets(variable, of: environment) }
    }
    self.secrets = secrets
  }

  private static func isLoopback(_ host: String) -> Bool { ["127.0.0.1", "::1"].contains(host) }
}
