import Glibc

/// The file that a path leads to; two paths may lead to one file.
package struct FileIdentity: Equatable {
  let device: dev_t
  let inode: ino_t

  package init?(_ path: String) {
    var facts = stat()
    guard stat(path, &facts) == 0 else { return nil }
    (device, inode) = (facts.st_dev, facts.st_ino)
  }

  /// The identity as it is written into a file.
  package var text: String { "\(device):\(inode)" }
}
