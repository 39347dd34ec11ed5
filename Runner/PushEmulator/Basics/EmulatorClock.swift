import FoundationEssentials
import FunctionKit
import Glibc

/// The emulator's time: real time and an offset, which may come from a file that another program writes.
struct EmulatorClock: Sendable {
  /// The file with `{"offset": SECONDS}`.
  ///
  /// Without it time is real.
  let path: String?
  /// Seconds ahead of real time.
  var offset = 0.0
  private var seen: Version?

  /// The version of the file, which is always replaced as a whole.
  fileprivate struct Version: Sendable, Equatable {
    let inode: UInt
    let seconds: Int
    let nanoseconds: Int
  }

  init(path: String? = nil) {
    self.path = path
    refresh()
  }

  var now: Date { .now.addingTimeInterval(offset) }

  /// Reads the file if it has changed.
  ///
  /// Its offset counts until the clock is set in another way.
  mutating func refresh() {
    guard let path else { return }
    var status = stat()
    let version = stat(path, &status) == 0 ? Version(status) : nil
    guard version != seen else { return }
    seen = version
    offset = version == nil ? 0 : Self.offset(in: path) ?? offset
  }

  private static func offset(in path: String) -> Double? {
    guard let bytes = try? Files.contentsIfThere(of: path), let json = try? RawJSON(validating: bytes[...]) else {
      return nil
    }
    return try? json.decimal("offset", in: -1e12...1e12)
  }
}

extension EmulatorClock.Version {
  fileprivate init(_ status: stat) {
    self.init(inode: UInt(status.st_ino), seconds: status.st_mtim.tv_sec, nanoseconds: status.st_mtim.tv_nsec)
  }
}

extension EmulatorClock {
  /// The clock for `GET /clock`.
  var json: RawJSON {
    RawJSON(object: [("now", RawJSON(RFC3339.string(now))), ("offset", RawJSON(trusting: Array("\(offset)".utf8)))])
  }

  /// Reads the body of `PUT /clock`: `{"offset": SECONDS}` or `{"now": "RFC 3339"}`.
  mutating func set(_ json: RawJSON) throws(BadRequest) {
    // A snapshot has both; the offset is exact.
    try json.checkMembers(["offset", "now"])
    if let offset = try json.decimal("offset", in: -1e12...1e12) {
      self.offset = offset
    } else if let text = try json.text("now"), let now = RFC3339.date(text) {
      offset = now.timeIntervalSinceNow
    } else {
      throw BadRequest("offset must be seconds, or now a time such as 2026-01-02T03:04:05Z.")
    }
  }
}
