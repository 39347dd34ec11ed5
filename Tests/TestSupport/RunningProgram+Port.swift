import Foundation
import Glibc

extension RunningProgram {
  /// A port of the loopback that was free a moment ago, for a program that can neither choose one nor say which.
  package static func freePort() throws -> UInt16 {
    let (socket, port) = try Sockets.listen()
    close(socket)
    return port
  }

  /// Waits until the program listens on a TCP port of IPv4; `false` when it ends before.
  ///
  /// A connection proves nothing. Another program may have taken the port, and Linux may give a socket that dials a free
  /// port that very port as its own, so that it reaches itself.
  package func listens(on port: UInt16) async -> Bool {
    while ended == nil {
      let held = files()
      if listeners(on: port).contains(where: held.contains) { return true }
      await Task.yield()
    }
    return false
  }

  /// The files that the process has open, as links in `/proc/PID/fd` name them.
  private func files() -> Set<String> {
    let folder = "/proc/\(processID)/fd"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return Set(names.compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)") })
  }

  /// The sockets of this machine that listen on the port, named in the same way.
  private func listeners(on port: UInt16) -> [String] {
    let table = Self.text(ofProcFile: "/proc/net/tcp")
    return table.split(separator: "\n").dropFirst().compactMap { line in
      let fields = line.split(separator: " ")
      guard fields.count > 9, fields[3] == "0A", let number = fields[1].split(separator: ":").last,
        UInt16(number, radix: 16) == port
      else { return nil }
      return "socket:[\(fields[9])]"
    }
  }

  /// Foundation takes a short read for the end of the file, and the kernel gives such a table in parts.
  private static func text(ofProcFile path: String) -> String {
    guard let file = fopen(path, "re") else { return "" }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 4 << 20)
    let count = fread(&bytes, 1, bytes.count, file)
    return String(decoding: bytes[..<count], as: UTF8.self)
  }
}
