import Glibc

/// The folder of compiled time zones: `TZDIR`, or Debian's `/usr/share/zoneinfo`.
struct ZoneDatabase {
  let path: String

  static var system: Self { Self(override: getenv("TZDIR").map { String(cString: $0) }) }

  init(override: String?) {
    path = override.flatMap { $0.isEmpty ? nil : $0 } ?? "/usr/share/zoneinfo"
  }

  func contents(of identifier: String) throws(UnknownTimeZone) -> [UInt8] {
    guard Self.isPlausible(identifier) else { throw UnknownTimeZone(identifier: identifier, reason: .malformedName) }
    let file = open("\(path)/\(identifier)", O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { throw UnknownTimeZone(identifier: identifier, reason: reason(of: errno)) }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw UnknownTimeZone(identifier: identifier, reason: .notFound(database: path))
    }
    guard status.st_size <= Self.largestFile else {
      throw UnknownTimeZone(identifier: identifier, reason: .unreadable("its file is over 1 MiB"))
    }
    return try readAll(file, size: Int(status.st_size), of: identifier)
  }

  /// The zone's name for a name in any case; `nil` if there is no such zone.
  func name(inAnyCase name: String) -> String? {
    guard Self.isPlausible(name) else { return nil }
    var found: [String] = []
    for part in name.split(separator: "/") {
      let folder = ([path] + found).joined(separator: "/")
      guard let entry = Self.entries(of: folder).first(where: { $0.lowercased() == part.lowercased() }) else {
        return nil
      }
      found.append(entry)
    }
    return found.joined(separator: "/")
  }

  private static func entries(of folder: String) -> [String] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      names.append(
        withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
          String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        })
    }
    return names.sorted()
  }

  /// Whether the text has the form of a zone's name, so that no path can leave the database.
  static func isPlausible(_ identifier: String) -> Bool {
    identifier.utf8.count <= 255
      && identifier.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).allSatisfy { part in
        !part.isEmpty && part.allSatisfy(isNameByte)
      }
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "+"):
      true
    default: false
    }
  }

  private func reason(of error: Int32) -> UnknownTimeZone.Reason {
    guard error == ENOENT || error == ENOTDIR else { return .unreadable(String(cString: strerror(error))) }
    return access(path, F_OK) == 0 ? .notFound(database: path) : .databaseMissing(path: path)
  }

  private func readAll(_ file: Int32, size: Int, of identifier: String) throws(UnknownTimeZone) -> [UInt8] {
    var failure: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      while count < size {
        let received = read(file, buffer.baseAddress.map { $0 + count }, size - count)
        if received < 0 && errno == EINTR { continue }
        if received < 0 { failure = errno }
        guard received > 0 else { return }
        count += received
      }
    }
    guard failure == 0 else {
      throw UnknownTimeZone(identifier: identifier, reason: .unreadable(String(cString: strerror(failure))))
    }
    return bytes
  }

  private static let largestFile = 1 << 20
}
