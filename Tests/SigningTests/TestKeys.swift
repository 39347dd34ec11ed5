import TestSupport

/// Keys made for these tests alone.
enum TestKeys {
  static let rsa = TestServiceAccount.rsaKey

  /// The output of `printf header.claims | openssl dgst -sha256 -sign`.
  static let rsaSignatureOfHeaderClaims =
    "gGv5r3dfVYdEdHxSgkW0Waxubi7nEM-yNPec91v8N5rmja0UCn21yXLWWZdxrn5kHE5TyHWeSkPgQxi-WUyW2V"
    + "aOJwA05uIah6eZKjDlwoW4Z61UYYh3-tZThzpLl8LeCZ2JHzAOqhLRK7frcc1GNETc767k5FPCl3k6rt7lOoAu"
    + "CgC-mKCwKahA3CofQCwWbOM2OkcVWALTc1U26yelLvxTN8D7T1PYYM5RrommhEWG22jIunlO0Vb84Dw7w4raOy"
    + "Vj5XYbZTXU_cYiHbBN2R7o2LvyWTfQhuwYT3q4DUCsv45htDQWSMPSWxDzT0Yj80v7UMKVJVD1y0qwm5OO3A"

  /// On the wrong curve.
  static let p384 = """
    -----BEGIN PRIVATE KEY-----
    MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDBOyWCgfVk+4FYyBJoZ
    ZMPmB1gxl1iNEq+7PdCzdQOmm01D4YnBVRnM9qr5BU3htUuhZANiAAQ77VFSdzv1
    fpWLlw+t2mEeuUcprwuHR+af4u0EcYQnWWeJ/lUYABjOJA7XOO9Vw9qtoSJ+UQr4
    5LFgp8t+fC4HwdxU5DAooRlvx7inKwI66yB8F82WPXGtChT6XPmwbqc=
    -----END PRIVATE KEY-----
    """

  /// On P-256, encrypted.
  static let locked = """
    -----BEGIN ENCRYPTED PRIVATE KEY-----
    MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAimp1vtChZpVwICCAAw
    DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEPbwn9XSm2b72clYX4UUq4sEgZBv
    NO53y4WOdGPeRAZBE9xGkE3vrIjhvI5Yjwq9Cyp03nOntv6t0yI3TUubhTzFqDPU
    lmSpMWe19nRTlZ7OkDeuV1lM5abEueWAbJtsmFouNQR06fuYOxD/0pXo/R1zjce8
    EeR+PHvBOPsI0MwUGMEi9T30FV8wOtBqr/CV2DbuoYS1zx5EWDFgPvYYGm0SLH8=
    -----END ENCRYPTED PRIVATE KEY-----
    """
}
