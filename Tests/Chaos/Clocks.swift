import Foundation
import Glibc
import TestSupport

/// The wall clocks of PostgreSQL and of the runners, which can be set wrong while those run.
///
/// libfaketime stands between the processes and the system's wall clock. What counts the seconds since a start goes on,
/// and so do timers. The runners' functions of the bundle go by the runners' clock; what writes the ledgers does not.
final class Clocks {
  /// Whose clock it is.
  enum Owner: String, CaseIterable {
    case server, runners
  }

  /// A clock that is wrong.
  struct Jump: Equatable {
    let owner: Owner
    /// By how many seconds; more than a round lasts, so that a time tells which clock has said it.
    let ahead: Int

    private static let aheads = [3 * 3_600, 25 * 3_600, -2 * 3_600]

    /// - Parameter choice: chooses whose clock it is, and how wrong it is.
    init(choice: UInt64) {
      owner = Owner.allCases[Int(choice % 2)]
      ahead = Self.aheads[Int(choice / 2 % UInt64(Self.aheads.count))]
    }
  }

  /// The variables that name the wrong clock to a process.
  static let variables = [
    "LD_PRELOAD", "FAKETIME_SHARED", "FAKETIME_TIMESTAMP_FILE", "FAKETIME_CACHE_DURATION",
    "FAKETIME_DONT_FAKE_MONOTONIC", "NO_FAKE_STAT",
  ]
  /// How long a process may go on with what it has read last, in seconds: reading at every look takes too long.
  private static let cacheTime = 1
  /// Where `Tests/Chaos/run` has put the library.
  private static let installed = BuiltExecutables.path(of: "libfaketime.so")

  /// Whether the library is there.
  static let canJump = access(installed, R_OK) == 0

  private let folder: TemporaryDirectory
  private let library: String
  private var shared = ""

  init() async throws {
    folder = try TemporaryDirectory()
    library = "\(folder.path)/libfaketime.so"
    // The server runs as another user.
    guard chmod(folder.path, 0o755) == 0 else { throw SystemError("chmod") }
    let bytes = FileManager.default.contents(atPath: Self.installed) ?? Data()
    try bytes.write(to: URL(filePath: library))
    for owner in Owner.allCases { try set(owner, ahead: 0) }
    shared = try await sharedPlace()
  }

  deinit {
    let names = shared.split(separator: " ").map { $0.dropFirst() }
    for file in names.flatMap({ ["/dev/shm/\($0)", "/dev/shm/sem.\($0)"] }) { unlink(file) }
  }

  /// The variables by which a process goes by an owner's clock.
  func environment(of owner: Owner) -> [String: String] {
    var variables = [
      "LD_PRELOAD": library, "FAKETIME_TIMESTAMP_FILE": file(owner), "FAKETIME_CACHE_DURATION": "\(Self.cacheTime)",
      "FAKETIME_DONT_FAKE_MONOTONIC": "1", "NO_FAKE_STAT": "1",
    ]
    // The server's user may not open what this one has made.
    if owner == .runners { variables["FAKETIME_SHARED"] = shared }
    return variables
  }

  /// Sets a clock wrong, and right again after a while.
  func suffer(_ jump: Jump, for hold: Duration) async throws {
    try set(jump.owner, ahead: jump.ahead)
    do { try await Task.sleep(for: .seconds(Self.cacheTime) + hold) } catch {
      try set(jump.owner, ahead: 0)
      throw error
    }
    try set(jump.owner, ahead: 0)
    try await Task.sleep(for: .seconds(Self.cacheTime))
  }

  private func file(_ owner: Owner) -> String { "\(folder.path)/\(owner.rawValue)" }

  private func set(_ owner: Owner, ahead seconds: Int) throws {
    // Nobody may read half of it.
    let new = try folder.write(seconds < 0 ? "\(seconds)\n" : "+\(seconds)\n", to: "new", mode: 0o644)
    guard rename(new, file(owner)) == 0 else { throw SystemError("rename") }
  }

  /// Makes the memory that all processes share, for those who look for their arguments beside their environment.
  ///
  /// A process that is not told of such memory makes its own and adds a variable, which moves the whole environment.
  private func sharedPlace() async throws -> String {
    // It ends without taking the memory away.
    let outcome = try await BuiltExecutables.run(
      "/bin/sh", ["-c", #"echo "$FAKETIME_SHARED"; kill -9 $$"#], environment: ["LD_PRELOAD": library])
    let names = outcome.stdout.split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
    guard !names.isEmpty else { throw ChaosError("libfaketime does not work here: \(outcome.stderr)") }
    return names
  }
}
