/// A service account as Google gives it, made up for tests.
package enum TestServiceAccount {
  /// The JSON file's text.
  package static func json(
    project: String = "test-project", email: String = "sender@test-project.iam.gserviceaccount.com", tokenURI: String,
    key: String = rsaKey
  ) -> String {
    let pem = key.split(separator: "\n").joined(separator: "\\n") + "\\n"
    return """
      {"type":"service_account","project_id":"\(project)","private_key_id":"0123abcd","private_key":"\(pem)",
       "client_email":"\(email)","client_id":"1","token_uri":"\(tokenURI)"}
      """
  }

  /// A key for RS256 that nobody uses.
  package static let rsaKey = """
    -----BEGIN PRIVATE KEY-----
    MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQCc2B3hipeTmzBz
    uxRXL0SnvLyiayM1NRnQkQYX3ZuLLQ4/LIHvefyrADWtY9N1kFGVDZHDTCMptuds
    Tmz1nQ8LpmtvPvPXe9gPgX77ki8Mcnkjn0JjmZ+dGrT5ZvSjR2rHUcxeGcZTfvom
    ahT6H6M0TSzJk+OX59Hiq+wmKLLnDZow4St9gMoXlCQ3HG6DoeHpjsJ3xhfDUxFr
    D1e5s7N64ywMggHMVcZ+mkwW1B/6lAGzzrewSrUJWw97TUN3YnGb0gutiWSizP0u
    pHthMvLFbsD/uV9N6icb/Z0OgnMeTd1Vgxop+WUjZMHXtono0obhZI4kTSkjHO4B
    TcR8OY0tAgMBAAECggEADvatbyGmUW5KYpg0GhdH4QroIkS/cKmWw2e6oZdCajZL
    uCo6YUsNmJDmDhtKhtpUdjh7shq29hldnd8jlRE9aLqhYFUstV+63svXfg/VzkWz
    mfrtPgxfhoEQSAUTDOrY3JhIu6eQ3NFt8zFGvBA9pVVBkx+5ZHo483u8hW13mAR1
    Z4dlvUXqgBg75Z/gzJlmDjYToVlEC0EY1pQTfOGsE0mfU6I0K3Q4+WQ1GcQcWhxm
    MJMasquLiL9PPHTkMLdNAxQjZkBH2yAPtfqErnu2hV1Dn/qM/LoAKC+vgvuGdX2y
    ABqD6vg34gKwBELK5jqLwDZ5+SVBF4MHgOqQdJNHkQKBgQDUTatZ88Ej77b2zsSV
    1N91NeWzOa5rcvb42/Ox0B35y6NGfurA+eSKvfJFnG3xmKDOXpvVm2Hz2lHGikC/
    FGxetN+FRlrgSv1AOYVaY6wFXmeZ+BY2Ef03eyP0Os77vE3Q1f2pPda1EZyRixh8
    saSv6d0NJT9wrBjVQ6we+ThsBQKBgQC9IEknRF0BMYRe+cN9hcmK32x4LyG/55RJ
    inbjZBojhoXn1eAkErpsTpm3QNgfWOQkNIjAT/scBpHk3U8QonHWSj/9whwwuDI2
    2FQvbENufpmL/KME595n5H7b4HQWh6629GTpF7GmAii7jPfVnPzUvtAmlnlpvWnh
    wXT2OfONCQKBgATQVghOHJ0B/HYQLijvkLmJpVGxByFsk+kEo7vuah+V3HfmvM/v
    Wp1CvVGSwHNv8IV9Y68uPMRYuO31iI5MmkBzfXX6KGlZifCA3WM1S1s7zsGQ/H/x
    XHp7kk8hXjwbAvCvSXci7dFhOtmZ+84oAQH0HY0EwTF+1XlQdYCmSf85AoGAOleQ
    WY2sRyb4V7gix0ETSETeGEEp3yJYS0tsm38Q1S61diwzJc2lNq4Um0Rkp17rmgOe
    v/ysURvxu7FNp6sFBP8IuIY93gWkb+jSJ4L1Vku1oEqCG4xPvqrtO3UFOsIGcqf3
    zTQi+DwoRpsZBQuVrydh3NWEhMsKs7rTEvYTnMkCgYEAwmQYCCvM+QK7GG0TLixd
    zDdifAqIonMOEYGn+WGucZLoTkFu1GUfqWi5Y18jbOPnhHKIGwwwMms1vMCB+JtT
    W6Hhm7xbflhB5YszUP4b5NSTVzVtm3CGwvT1EJxlA1gOR+pubz7uvn6alyF1lnvC
    vEW5GgzNsOkOTlCknREEYzY=
    -----END PRIVATE KEY-----
    """
}
