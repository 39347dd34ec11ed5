import COpenSSL

extension KeyHandle {
  func privatePEM() throws(SigningError) -> String {
    try textWritten { PEM_write_bio_PrivateKey($0, pointer, nil, nil, 0, nil, nil) }
  }

  func publicPEM() throws(SigningError) -> String {
    try textWritten { PEM_write_bio_PUBKEY($0, pointer) }
  }
}
