import CLI
import Emulation
import FunctionKit

/// The command line of `push-emulator serve`.
struct ServeOptions: Sendable {
  let directory: String
  let host: String
  let port: UInt16
  let sandboxPort: UInt16
  let fcmPort: UInt16
  let bundleIDs: Set<String>
  let exitsWithStdin: Bool
  let keysPath: String?
  let clockPath: String?
  /// Whether device tokens without an instruction are refused.
  let isStrict: Bool
  /// Whether provider tokens with a deviation are accepted.
  let isLenient: Bool
  let tokenUpdates: TokenUpdates.Scope
  let maxStreams: UInt32
  /// How many pushes are kept.
  let capacity: Int

  init(_ arguments: CommandArguments) throws(FunctionError) {
    var arguments = arguments
    directory = try arguments.required("--directory")
    host = try arguments.value("--host") ?? "127.0.0.1"
    port = try arguments.port("--port")
    sandboxPort = try arguments.port("--sandbox-port")
    fcmPort = try arguments.port("--fcm-port")
    var bundleIDs: Set<String> = []
    while let id = try arguments.value("--bundle-id") { bundleIDs.insert(id) }
    self.bundleIDs = bundleIDs
    exitsWithStdin = arguments.flag("--exit-with-stdin")
    keysPath = try arguments.value("--keys")
    clockPath = try arguments.value("--clock-file")
    isStrict = arguments.flag("--strict-tokens")
    isLenient = arguments.flag("--lenient-provider-tokens")
    tokenUpdates = try arguments.choice("--token-updates") ?? .connection
    maxStreams = try arguments.number("--max-streams", in: 1...100_000).map { UInt32($0) } ?? 1_000
    capacity = try arguments.number("--keep", in: 1...1_000_000) ?? PushHistory.defaultCapacity
    try arguments.finish()
  }

  func port(of face: Face) -> UInt16 {
    switch face {
    case .production: port
    case .sandbox: sandboxPort
    case .fcm: fcmPort
    }
  }
}

extension CommandArguments {
  fileprivate mutating func port(_ name: String) throws(FunctionError) -> UInt16 {
    UInt16(try number(name, in: 0...65_535) ?? 0)
  }
}
