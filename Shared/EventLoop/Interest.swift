import CLinux

/// What a descriptor is watched for, and what it is ready for.
package struct Interest: OptionSet, Sendable, Hashable {
  /// One bit per kind.
  package let rawValue: UInt8

  /// A set of kinds from its bits.
  package init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// Bytes, a connection to accept, or the end of the stream can be read.
  package static let read = Interest(rawValue: 1)

  /// Bytes can be written, or a connection attempt has ended.
  package static let write = Interest(rawValue: 2)

  /// The peer has closed its sending side, or the descriptor has failed.
  ///
  /// A failure (`EPOLLHUP`, `EPOLLERR`) of a watched descriptor is reported even if this was not asked for.
  package static let hangUp = Interest(rawValue: 4)
}

extension Interest {
  var epollEvents: UInt32 {
    var events: UInt32 = 0
    if contains(.read) { events |= EPOLLIN.rawValue }
    if contains(.write) { events |= EPOLLOUT.rawValue }
    if contains(.hangUp) { events |= EPOLLRDHUP.rawValue }
    return events
  }

  /// Translates what the kernel reported.
  ///
  /// A failed descriptor counts as ready for everything that was asked: the next `read` or `write` finds the reason.
  init(epollEvents events: UInt32, asked: Interest) {
    var ready: Interest = []
    if events & EPOLLIN.rawValue != 0 { ready.insert(.read) }
    if events & EPOLLOUT.rawValue != 0 { ready.insert(.write) }
    if events & EPOLLRDHUP.rawValue != 0 { ready.insert(.hangUp) }
    if events & (EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0 { ready.formUnion(asked.union(.hangUp)) }
    self = ready
  }
}
