import CLI
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

  private static let directory = Option.text(
    "--directory", "DIR", "the folder for certificates, keys and pushes; made if it is missing")
  private static let host = Option.text("--host", "ADDRESS", "the address to listen on (127.0.0.1)")
  private static let port = Option.number(
    "--port", "N", in: 0...65_535, "the port of APNs' production host; 0 takes a free one (0)")
  private static let sandboxPort = Option.number("--sandbox-port", "N", in: 0...65_535, "the port of its sandbox host")
  private static let fcmPort = Option.number(
    "--fcm-port", "N", in: 0...65_535, "the port of FCM and of the token endpoint")
  private static let bundleIDs = Option.text(
    "--bundle-id", "ID", "push topics that are allowed; may be repeated; all without it"
  ).repeated
  private static let keys = Option.text(
    "--keys", "FILE", #"more provider keys: {"keys":[{"keyId","teamId","path","environments","topics"}]}"#)
  private static let strict = Flag(
    "--strict-tokens", "refuse device tokens that have no instruction; otherwise they are accepted")
  private static let lenient = Flag(
    "--lenient-provider-tokens",
    "accept provider tokens with a DER signature, padded base64, or iat as a string, and warn")
  private static let tokenUpdates = Option<TokenUpdates.Scope>.choice(
    "--token-updates", "connection|team",
    "where to count new provider tokens; one is allowed in 20 minutes: on a connection, as Apple's page says (the "
      + "default), or at the host for the whole team")
  private static let maxStreams = Option.number(
    "--max-streams", "N", in: 1...100_000, "streams of a connection after its first valid provider token (1,000)")
  private static let clock = Option.text(
    "--clock-file", "PATH",
    #"{"offset": SECONDS}: how far the time is ahead of real time; changes of the file are followed"#)
  private static let keep = Option.number("--keep", "N", in: 1...1_000_000, "how many pushes are kept (50,000)")
  private static let exitWithStdin = Flag("--exit-with-stdin", "end at the end of stdin, and at SIGTERM and SIGINT")

  static let form: Form = [
    directory.required, host, port, sandboxPort, fcmPort, bundleIDs, keys, strict, lenient, tokenUpdates, maxStreams,
    clock, keep, exitWithStdin,
  ]

  init(_ arguments: CommandArguments) throws(FunctionError) {
    directory = try arguments.required(Self.directory)
    host = arguments[Self.host] ?? "127.0.0.1"
    port = UInt16(arguments[Self.port] ?? 0)
    sandboxPort = UInt16(arguments[Self.sandboxPort] ?? 0)
    fcmPort = UInt16(arguments[Self.fcmPort] ?? 0)
    bundleIDs = Set(arguments.all(Self.bundleIDs))
    exitsWithStdin = arguments[Self.exitWithStdin]
    keysPath = arguments[Self.keys]
    clockPath = arguments[Self.clock]
    isStrict = arguments[Self.strict]
    isLenient = arguments[Self.lenient]
    tokenUpdates = arguments[Self.tokenUpdates] ?? .connection
    maxStreams = arguments[Self.maxStreams].map { UInt32($0) } ?? 1_000
    capacity = arguments[Self.keep] ?? PushHistory.defaultCapacity
  }

  func port(of face: Face) -> UInt16 {
    switch face {
    case .production: port
    case .sandbox: sandboxPort
    case .fcm: fcmPort
    }
  }
}
