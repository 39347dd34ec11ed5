import CAssets
import FunctionKit
import HTTP1

/// The console's styles and scripts, which are part of the program.
package enum Assets {
  private static let files: [String: (type: String, bytes: [UInt8])] = [
    "console.css": ("text/css; charset=utf-8", bytes(shim_console_css())),
    "console.js": ("text/javascript; charset=utf-8", bytes(shim_console_js())),
    "live.js": ("text/javascript; charset=utf-8", bytes(shim_live_js())),
    "keys.js": ("text/javascript; charset=utf-8", bytes(shim_keys_js())),
    "clock.js": ("text/javascript; charset=utf-8", bytes(shim_clock_js())),
    "times.js": ("text/javascript; charset=utf-8", bytes(shim_times_js())),
    "find.js": ("text/javascript; charset=utf-8", bytes(shim_find_js())),
    "icon.svg": ("image/svg+xml", bytes(shim_icon_svg())),
  ]

  private static func bytes(_ text: UnsafePointer<CChar>) -> [UInt8] { Array(String(cString: text).utf8) }

  /// A digest of all of them.
  package static let folder = String(
    SHA256.hex(files.sorted { $0.key < $1.key }.flatMap { $0.value.bytes }).prefix(16))

  /// A file, which a browser may keep for as long as it likes; `nil` if there is none of that name.
  ///
  /// A page of an earlier version gets the present file, which it must ask for again.
  static func answer(_ name: String, in folder: String) -> HTTP1Answer? {
    guard let file = files[name] else { return nil }
    let kept = folder == Self.folder ? "public, max-age=31536000, immutable" : "no-store"
    return HTTP1Answer(
      status: 200, headers: [("Content-Type", file.type), ("Cache-Control", kept)], body: file.bytes)
  }

  /// In bytes, by the ends of their names.
  package static func size(of ending: String) -> Int {
    files.filter { $0.key.hasSuffix(ending) }.reduce(0) { $0 + $1.value.bytes.count }
  }
}
