package import FunctionKit
import Glibc

/// Folders of the file system.
package enum Folder {
  /// Makes a folder unless it is there.
  package static func make(_ path: String, mode: UInt32) throws(SystemError) {
    guard mkdir(path, mode) == 0 || errno == EEXIST else { throw SystemError("make the folder \(path)") }
  }

  /// Refuses something that is there and is not a folder, so that nothing is written where a link leads.
  package static func refuseLink(_ path: String) throws(FunctionError) {
    var facts = stat()
    guard lstat(path, &facts) == 0, facts.st_mode & S_IFMT != S_IFDIR else { return }
    throw FunctionError(
      .misconfigured, "\(path) is not a folder. Nothing is written where a link leads: remove it.")
  }

  /// The size of its content in bytes, without what cannot be read.
  package static func size(_ path: String) -> Int {
    var facts = stat()
    guard lstat(path, &facts) == 0 else { return 0 }
    guard facts.st_mode & S_IFMT == S_IFDIR else { return Int(facts.st_size) }
    return names(in: path).reduce(0) { $0 + size("\(path)/\($1)") }
  }

  /// The names of its entries; none if it cannot be read.
  package static func names(in path: String) -> [String] {
    guard let directory = opendir(path) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }
}
