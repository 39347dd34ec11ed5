import FoundationEssentials
import FunctionKit
import Glibc
import Signing
import Synchronization

/// Where a signing key comes from: a `.p8` file, which may be replaced while the process runs, or a variable.
final class KeySource: Sendable {
  /// The file; `nil` for a key that a variable holds.
  let path: String?
  private let state: Mutex<State>

  private struct State {
    var key: Secret<SigningKey>
    /// The version of the file that the key was read from; the file is read again only when this changes.
    var version: Version?
  }

  /// Reads the file.
  init(path: String) throws(UnusableFile) {
    let version = Version(path)
    let key = try Self.read(path)
    self.path = path
    state = Mutex(State(key: Secret(key), version: version))
  }

  /// Reads the text of a variable.
  init(text: String) throws(UnusableFile) {
    path = nil
    state = Mutex(State(key: Secret(try Self.key(KeyText.pem(text))), version: nil))
  }

  var key: SigningKey { state.withLock(\.key.exposed) }

  /// The result of a new look at the file.
  enum Change { case none, replaced, unreadable }

  /// Checks whether the file has another key.
  ///
  /// If the file cannot be read, the old key stays in use.
  func refresh() -> Change {
    guard let path else { return .none }
    return state.withLock { state in
      let version = Version(path)
      guard version != state.version else { return .none }
      state.version = version
      guard let key = try? Self.read(path) else { return .unreadable }
      defer { state.key = Secret(key) }
      return (try? key.privatePEM()) == (try? state.key.exposed.privatePEM()) ? .none : .replaced
    }
  }

  private static func read(_ path: String) throws(UnusableFile) -> SigningKey {
    try key(String(decoding: try FileContents.contents(of: path), as: UTF8.self))
  }

  private static func key(_ text: String) throws(UnusableFile) -> SigningKey {
    do { return try SigningKey(pem: text) } catch {
      throw UnusableFile(PrivateKeyFault.found(in: text, for: "ES256"))
    }
  }

  /// The state of a file.
  ///
  /// It differs after the file was replaced or written to.
  private struct Version: Equatable {
    let inode: UInt64
    let size: Int
    let seconds: Int
    let nanoseconds: Int

    init?(_ path: String) {
      var status = stat()
      guard stat(path, &status) == 0 else { return nil }
      (inode, size) = (UInt64(status.st_ino), Int(status.st_size))
      (seconds, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
    }
  }
}
