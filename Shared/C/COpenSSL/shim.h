#pragma once
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

// Function-like macros, which Swift does not import.

static inline int shim_SSL_CTX_set_min_proto_version(SSL_CTX *context, int version) {
  return (int)SSL_CTX_set_min_proto_version(context, version);
}

static inline void shim_SSL_CTX_set_read_ahead(SSL_CTX *context) {
  SSL_CTX_set_read_ahead(context, 1);
}

static inline void shim_SSL_CTX_refuse_renegotiation(SSL_CTX *context) {
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE);
}

static inline int shim_SSL_set_tlsext_host_name(SSL *ssl, const char *name) {
  return (int)SSL_set_tlsext_host_name(ssl, name);
}

static inline void shim_BIO_set_retry_read(BIO *bio) {
  BIO_set_retry_read(bio);
}

static inline void shim_BIO_clear_retry_flags(BIO *bio) {
  BIO_clear_retry_flags(bio);
}

static inline long shim_BIO_get_mem_data(BIO *bio, char **bytes) {
  return BIO_get_mem_data(bio, bytes);
}

static inline EVP_PKEY *shim_EVP_EC_gen(const char *curve) {
  return EVP_EC_gen(curve);
}

static inline EVP_PKEY *shim_EVP_RSA_gen(unsigned int bits) {
  return EVP_RSA_gen(bits);
}

static inline void shim_X509V3_set_ctx(X509V3_CTX *context, X509 *issuer, X509 *subject) {
  X509V3_set_ctx(context, issuer, subject, NULL, NULL, 0);
}
