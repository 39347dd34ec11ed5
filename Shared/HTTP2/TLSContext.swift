import COpenSSL

/// The common settings of the TLS connections of a client or a server: versions, ALPN, certificates.
final class TLSContext: Sendable {
  // OpenSSL counts references to an SSL_CTX atomically and allows SSL_new on any thread. It changes only here, before
  // any other code can see it.
  nonisolated(unsafe) let handle: OpaquePointer

  private init(_ method: OpaquePointer?) throws(HTTP2Error) {
    guard let handle = SSL_CTX_new(method) else { throw .handshakeFailed(reason: tlsErrorMessage()) }
    self.handle = handle
    _ = shim_SSL_CTX_set_min_proto_version(handle, TLS1_2_VERSION)
    // RFC 9113 §9.2.2 forbids all other families of TLS 1.2. Those of TLS 1.3 have their own list and are all allowed.
    SSL_CTX_set_cipher_list(handle, "ECDHE+AESGCM:ECDHE+CHACHA20")
    shim_SSL_CTX_refuse_renegotiation(handle)
    shim_SSL_CTX_set_read_ahead(handle)
    SSL_CTX_set_default_read_buffer_len(handle, 65_536)
  }

  deinit {
    SSL_CTX_free(handle)
  }

  /// Reads the authorities' certificates.
  ///
  /// Do not call this on a loop: it takes some milliseconds.
  static func client(_ trust: Trust) throws(HTTP2Error) -> TLSContext {
    let context = try TLSContext(TLS_client_method())
    SSL_CTX_set_verify(context.handle, SSL_VERIFY_PEER, nil)
    switch trust {
    case .system:
      SSL_CTX_set_default_verify_paths(context.handle)
    case .certificateAuthority(let path):
      guard SSL_CTX_load_verify_file(context.handle, path) == 1 else {
        throw .unusableFile(path: path, reason: tlsErrorMessage())
      }
    }
    SSL_CTX_set_alpn_protos(context.handle, ALPN.wireFormat, UInt32(ALPN.wireFormat.count))
    return context
  }

  static func server(certificateChain chain: String, privateKey key: String) throws(HTTP2Error) -> TLSContext {
    let context = try TLSContext(TLS_server_method())
    guard SSL_CTX_use_certificate_chain_file(context.handle, chain) == 1 else {
      throw .unusableFile(path: chain, reason: tlsErrorMessage())
    }
    guard SSL_CTX_use_PrivateKey_file(context.handle, key, SSL_FILETYPE_PEM) == 1,
      SSL_CTX_check_private_key(context.handle) == 1
    else { throw .unusableFile(path: key, reason: tlsErrorMessage()) }
    SSL_CTX_set_alpn_select_cb(
      context.handle,
      { _, selected, selectedLength, offered, offeredLength, _ in
        guard let offered, ALPN.isOffered(in: UnsafeBufferPointer(start: offered, count: Int(offeredLength))) else {
          return SSL_TLSEXT_ERR_ALERT_FATAL
        }
        selected?.pointee = ALPN.name
        selectedLength?.pointee = UInt8(ALPN.length)
        return SSL_TLSEXT_ERR_OK
      }, nil)
    return context
  }
}

/// The protocol name `h2`, as ALPN (RFC 7301) writes it.
enum ALPN {
  static let wireFormat: [UInt8] = [2, UInt8(ascii: "h"), UInt8(ascii: "2")]
  static let length = 2

  // A constant of the program's text that lives as long as the process and is never written.
  nonisolated(unsafe) static let name: UnsafePointer<UInt8> = {
    let text: StaticString = "h2"
    return text.utf8Start
  }()

  static func isOffered(in list: UnsafeBufferPointer<UInt8>) -> Bool {
    var rest = list[...]
    while let length = rest.popFirst(), Int(length) <= rest.count {
      if rest.prefix(Int(length)).elementsEqual(wireFormat.dropFirst()) { return true }
      rest = rest.dropFirst(Int(length))
    }
    return false
  }
}

/// The reason of the oldest error in this thread's OpenSSL queue; empties the queue.
func tlsErrorMessage() -> String {
  let code = ERR_get_error()
  ERR_clear_error()
  guard code != 0 else { return "the connection ended" }
  guard let reason = ERR_reason_error_string(code) else { return "OpenSSL error \(code)" }
  return String(cString: reason)
}

/// The authorities that a client trusts.
///
/// Name and chain are verified in either case.
package enum Trust: Sendable, Hashable {
  /// The system's authorities (OpenSSL's default paths, or `SSL_CERT_FILE` and `SSL_CERT_DIR`).
  case system
  /// Only the authorities of this PEM file.
  case certificateAuthority(path: String)
}
