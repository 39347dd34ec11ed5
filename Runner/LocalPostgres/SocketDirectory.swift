import Glibc
import System

/// The private folder of the server's socket: short, because a socket's path ends at 107 bytes.
package enum SocketDirectory {
  /// The socket's name is this and the port.
  static let port = 5432

  /// Where root's sockets are.
  package static let runtime = "/run"

  /// Where the socket belongs: below `/run` for root, else in the user's run-time folder if it is fit, else in `/tmp`.
  package static func path(for layout: ClusterLayout, runtimeDirectory: String?) -> String {
    let name = "push-functions-\(layout.hash)"
    if layout.account != nil { return "\(runtime)/\(name)" }
    if let path = runtimeDirectory.map({ "\($0)/\(name)" }), path.hasPrefix("/"), isFit(path), ownsFolder(above: path) {
      return path
    }
    return "/tmp/push-functions-\(geteuid())-\(layout.hash)"
  }

  /// Makes the folder, or checks the one that is there: the server's user's, and entered by nobody else.
  static func prepare(_ path: String, for layout: ClusterLayout) throws {
    if mkdir(path, 0o700) == 0 {
      guard let account = layout.account else { return }
      guard chown(path, account.user, account.group) == 0 else { throw SystemError("give \(path) away") }
    } else if errno != EEXIST {
      throw SystemError("make the folder \(path)")
    }
    try Folder.require(path, ownedBy: layout.serverUser, isPrivate: true)
  }

  /// Removes what a server that is gone left: PostgreSQL trusts its lock file as it does `postmaster.pid`.
  static func removeSocket(in directory: String) {
    unlink("\(directory)/.s.PGSQL.\(port)")
    unlink("\(directory)/.s.PGSQL.\(port).lock")
  }

  /// Whether the socket's path is short enough, and the folder needs no quoting in a setting or a URL.
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
