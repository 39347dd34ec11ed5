import COpenSSL
import Glibc
import Platform

/// The bytes between OpenSSL and the socket.
///
/// This is our own OpenSSL BIO instead of `SSL_set_fd`. It sends with `MSG_NOSIGNAL`, so that a lost peer cannot kill
/// the process by SIGPIPE. It puts the records of a whole turn into one `send`. It accepts every write, so TLS never
/// waits for the socket in the middle of a record.
final class SocketChannel {
  let descriptor: Int32
  private var isOpen = true
  private var outgoing: [UInt8] = []
  private var sentCount = 0
  private(set) var failure: Int32 = 0

  /// Cleared by a read that emptied the socket, so that OpenSSL's next one needs no system call.
  ///
  /// It is set when epoll reports.
  var mayHaveBytes = true

  init(_ socket: consuming Socket) {
    descriptor = socket.release()
  }

  deinit {
    close()
  }

  var pendingCount: Int { outgoing.count - sentCount }

  /// Sends what the socket takes; false after a failure, whose `errno` is in `failure`.
  func flush() -> Bool {
    while pendingCount > 0 {
      let count = outgoing.withUnsafeBytes { bytes in
        send(descriptor, bytes.baseAddress?.advanced(by: sentCount), pendingCount, Int32(MSG_NOSIGNAL))
      }
      if count >= 0 {
        sentCount += count
      } else if errno == EAGAIN {
        return true
      } else if errno != EINTR {
        failure = errno
        return false
      }
    }
    outgoing.removeAll(keepingCapacity: outgoing.capacity < 1_048_576)
    sentCount = 0
    return true
  }

  /// Tells the peer that nothing more will come.
  func endSending() {
    shutdown(descriptor, Int32(SHUT_WR))
  }

  /// Turns the next close into a reset (RST), which discards bytes that are being sent.
  func resetOnClose() {
    var option = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
  }

  func close() {
    guard isOpen else { return }
    isOpen = false
    Glibc.close(descriptor)
  }

  /// Reads and discards; false at the end of the stream.
  func discardIncoming() -> Bool {
    withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 1) { buffer in
      while true {
        let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
        if count <= 0 { return count < 0 && (errno == EAGAIN || errno == EINTR) }
      }
    }
  }

  fileprivate func append(_ bytes: UnsafeRawBufferPointer) {
    outgoing.append(contentsOf: bytes)
  }

  fileprivate func receive(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    guard mayHaveBytes else {
      errno = EAGAIN
      return -1
    }
    let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
    mayHaveBytes = count == buffer.count
    if count < 0, errno != EAGAIN { failure = errno }
    return count
  }
}

extension SocketChannel {
  /// A BIO that reads and writes here; it does not keep the channel alive.
  func makeBIO() -> OpaquePointer? {
    guard let bio = BIO_new(Self.method) else { return nil }
    BIO_set_data(bio, Unmanaged.passUnretained(self).toOpaque())
    BIO_set_init(bio, 1)
    return bio
  }

  private static func channel(of bio: OpaquePointer?) -> SocketChannel? {
    BIO_get_data(bio).map { Unmanaged<SocketChannel>.fromOpaque($0).takeUnretainedValue() }
  }

  // Made once before its first use; after that it is only read.
  nonisolated(unsafe) private static let method: OpaquePointer? = {
    let method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "socket channel")
    BIO_meth_set_write(method) { bio, bytes, count in
      guard let channel = SocketChannel.channel(of: bio), let bytes else { return -1 }
      channel.append(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
      return count
    }
    BIO_meth_set_read(method) { bio, bytes, count in
      guard let channel = SocketChannel.channel(of: bio), let bytes else { return -1 }
      shim_BIO_clear_retry_flags(bio)
      let received = channel.receive(into: UnsafeMutableRawBufferPointer(start: bytes, count: Int(count)))
      if received < 0, errno == EAGAIN || errno == EINTR { shim_BIO_set_retry_read(bio) }
      return Int32(received)
    }
    BIO_meth_set_ctrl(method) { _, command, _, _ in command == BIO_CTRL_FLUSH ? 1 : 0 }
    return method
  }()
}

/// A non-blocking TCP socket, closed with its owner.
struct Socket: ~Copyable {
  let descriptor: Int32

  /// Takes over an open descriptor.
  init(adopting descriptor: Int32) {
    self.descriptor = descriptor
  }

  /// A new socket for that address family; nil when the system has none left or lacks the family.
  init?(family: Int32) {
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    let descriptor = socket(family, kind, 0)
    guard descriptor >= 0 else { return nil }
    self.descriptor = descriptor
  }

  deinit {
    close(descriptor)
  }

  /// Gives the descriptor away; the receiver closes it.
  consuming func release() -> Int32 {
    let descriptor = descriptor
    discard self
    return descriptor
  }

  /// Sends small frames at once instead of waiting for an acknowledgement (Nagle).
  func sendWithoutDelay() {
    set(Int32(IPPROTO_TCP), TCP_NODELAY, 1)
  }

  func set(_ level: Int32, _ option: Int32, _ value: Int32) {
    var value = value
    setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
  }

  /// The outcome of an asynchronous connect: 0 or an `errno`.
  var pendingError: Int32 {
    var value: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &value, &length) == 0 ? value : errno
  }

  /// Starts connecting; 0 when connected or under way, else an `errno`.
  func startConnecting(to address: SocketAddress) -> Int32 {
    let result = address.withPointer { connect(descriptor, $0, $1) }
    return result == 0 || errno == EINPROGRESS ? 0 : errno
  }
}
