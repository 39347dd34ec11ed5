import Glibc

/// The process that listens on a TCP port of this machine.
enum PortHolder {
  /// Its number and name, such as `process 123 (nginx)`; `nil` if this user may not see it.
  static func find(_ port: UInt16) -> String? {
    let sockets = Set(["/proc/net/tcp", "/proc/net/tcp6"].flatMap { listeners(in: $0, on: port) })
    guard !sockets.isEmpty else { return nil }
    let holder = ProcessTable.all().first { process in
      let folder = "/proc/\(process)/fd"
      return Folder.names(in: folder).contains { sockets.contains(target(of: "\(folder)/\($0)")) }
    }
    guard let holder else { return nil }
    let name = TextFile.read("/proc/\(holder)/comm")?.split(separator: "\n").first.map { " (\($0))" }
    return "process \(holder)\(name ?? "")"
  }

  /// The sockets that listen on the port, named like the links in `/proc/PID/fd`.
  private static func listeners(in table: String, on port: UInt16) -> [String] {
    (TextFile.read(table, last: 4 << 20) ?? "").split(separator: "\n").dropFirst().compactMap { line in
      let fields = line.split(separator: " ")
      guard fields.count > 9, fields[3] == "0A", let number = fields[1].split(separator: ":").last,
        UInt16(number, radix: 16) == port
      else { return nil }
      return "socket:[\(fields[9])]"
    }
  }

  private static func target(of link: String) -> String {
    var buffer = [CChar](repeating: 0, count: 256)
    let count = readlink(link, &buffer, buffer.count)
    return String(decoding: buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
