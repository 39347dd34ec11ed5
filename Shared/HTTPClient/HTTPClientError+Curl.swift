internal import CCurl

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
