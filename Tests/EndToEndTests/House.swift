import Foundation
import TestSupport

/// The repository's own files.
enum House {
  /// The folder of `Package.swift`.
  static let root = URL(filePath: Schema.project)

  static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }
}
