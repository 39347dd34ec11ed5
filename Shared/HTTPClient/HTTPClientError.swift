internal import CCurl

/// Why a call has no answer.
///
/// A status of 400 and above is an answer, not an error.
package struct HTTPClientError: Error, Equatable {
  /// The kind of failure.
  package enum Code: Sendable, Equatable {
    /// The call cannot be sent: its URL is malformed or has another scheme, or a header has a line break.
    case invalidCall
    /// The host name did not resolve.
    case nameNotFound
    /// The connection was refused.
    case connectionRefused
    /// The proxy's name did not resolve, or it refused the connection.
    case proxyUnreachable
    /// The proxy refuses to make a tunnel.
    case proxyRefused
    /// The proxy says that it cannot reach the server (502, 503, 504).
    case beyondProxy
    /// The TLS session cannot be trusted: certificate, host name, protocol version or the CA file is wrong.
    case untrusted
    /// A time limit of ``HTTPLimits`` was reached.
    case timedOut
    /// The body is longer than ``HTTPLimits/body``.
    case tooLarge
    /// The connection ended before the answer was complete; the server may have acted on the call.
    case connectionLost
    /// The server, or a proxy, did not speak HTTP as expected.
    case protocolViolation
    /// The calling task was cancelled.
    case cancelled
    /// This machine lacks a thread, memory or descriptors for the call.
    case exhausted
  }

  /// The kind of failure.
  package let code: Code
  /// Host and port of the call, never path, query or user information.
  package let host: String
  /// The transport's own sentence, or the status line of a proxy that makes no tunnel, for logs only.
  package let detail: String
  /// Whether some of the request was sent, so that the server may have acted on it.
  package var isSent = false
  /// The status and the header fields of the answer whose body is too large, without the body.
  package var answer: HTTPAnswer?
}

extension HTTPClientError: CustomStringConvertible, CustomDebugStringConvertible {
  /// A sentence without paths, queries, headers or bodies.
  package var description: String {
    switch code {
    case .invalidCall: "the request is not valid: \(detail)"
    case .nameNotFound: "\(host) was not found"
    case .connectionRefused: "could not connect to \(host)"
    case .proxyUnreachable: "the proxy cannot be reached"
    case .proxyRefused: "the proxy refused"
    case .beyondProxy: "the proxy cannot reach \(host)"
    case .untrusted: "could not establish a trusted connection to \(host)"
    case .timedOut: "\(host) did not answer in time"
    case .tooLarge: "the answer of \(host) is too large"
    case .connectionLost: "the connection to \(host) was lost"
    case .protocolViolation: "\(host) did not answer as an HTTP server"
    case .cancelled: "the request to \(host) was cancelled"
    case .exhausted: "no resources left for the request to \(host)"
    }
  }

  /// ``description`` and the transport's own sentence.
  package var debugDescription: String {
    switch code {
    case _ where detail.isEmpty, .invalidCall: description
    case .proxyUnreachable, .proxyRefused, .beyondProxy: "\(description): \(detail)"
    default: "\(description) (\(detail))"
    }
  }
}

extension HTTPClientError.Code {
  /// The kind of failure behind libcurl's result; see libcurl-errors(3).
  init(_ result: CURLcode) {
    self =
      switch result {
      case CURLE_URL_MALFORMAT, CURLE_BAD_FUNCTION_ARGUMENT: .invalidCall
      case CURLE_COULDNT_RESOLVE_HOST: .nameNotFound
      case CURLE_COULDNT_RESOLVE_PROXY: .proxyUnreachable
      case CURLE_COULDNT_CONNECT: .connectionRefused
      case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CERTPROBLEM,
        CURLE_SSL_CIPHER, CURLE_SSL_ISSUER_ERROR:
        .untrusted
      case CURLE_OPERATION_TIMEDOUT: .timedOut
      case CURLE_FILESIZE_EXCEEDED, CURLE_WRITE_ERROR: .tooLarge
      case CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_PARTIAL_FILE: .connectionLost
      case CURLE_OUT_OF_MEMORY, CURLE_FAILED_INIT: .exhausted
      default: .protocolViolation
      }
  }
}
