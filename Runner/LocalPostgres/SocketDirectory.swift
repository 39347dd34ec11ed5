import Glibc
import System

/// The private folder of the server's socket.
///
/// Its path is short, because a socket's path has at most 107 bytes.
package enum SocketDirectory {
  /// The port, which is part of the socket's name.
  static let port = 5432

  /// Where root's sockets are.
  private static let runtime = "/run"

  /// The folder of root's socket, for the project whose path has this hash.
  static func ofRoot(_ hash: String) -> String { "\(runtime)/push-functions-\(hash)" }

  /// The socket's folder: below `/run` for root, else in the user's run-time folder if that is fit, else in `/tmp`.
  package static func path(for layout: ClusterLayout, runtimeDirectory: String?) -> String {
    let name = "push-functions-\(layout.hash)"
    if layout.account != nil { return ofRoot(layout.hash) }
    if let path = runtimeDirectory.map({ "\($0)/\(name)" }), path.hasPrefix("/"), isFit(path), ownsFolder(above: path) {
      return path
    }
    return "/tmp/push-functions-\(geteuid())-\(layout.hash)"
  }

  /// Makes the folder, or checks that it belongs to the server's user and that no other user may enter it.
  static func prepare(_ path: String, for layout: ClusterLayout) throws {
    try Folder.make(path, mode: 0o700)
    // Root may have made the folder and been killed before it gave it away.
    if let account = layout.account, (try? Folder.require(path, ownedBy: geteuid())) != nil {
      guard chown(path, account.user, account.group) == 0 else { throw SystemError("give \(path) away") }
    }
    try Folder.require(path, ownedBy: layout.serverUser, isPrivate: true)
  }

  /// Removes the socket and lock file of a dead server, because PostgreSQL trusts that lock file.
  static func removeSocket(in directory: String) {
    unlink("\(directory)/.s.PGSQL.\(port)")
    unlink("\(directory)/.s.PGSQL.\(port).lock")
  }

  /// Whether the socket's path is short enough and needs no quotes in a setting or a URL.
  static func isFit(_ path: String) -> Bool {
    let plain = path.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "-"), UInt8(ascii: "_"): true
      case UInt8(ascii: "."): true
      default: false
      }
    }
    return plain && "\(path)/.s.PGSQL.\(port).lock".utf8.count <= 107
  }

  private static func ownsFolder(above path: String) -> Bool {
    guard let slash = path.lastIndex(of: "/") else { return false }
    return (try? Folder.require(String(path[..<slash]), ownedBy: geteuid())) != nil
  }
}
