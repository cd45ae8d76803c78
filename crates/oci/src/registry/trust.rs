//! Verifies server certificates like Go.
//!
//! Source: go@1.26 `crypto/x509/verify.go`, `Verify`, `isValid`, `checkChainForKeyUsage`; `x509.go`,
//! `CheckSignatureFrom`. A certificate that is among the roots is a chain by itself, whoever issued it, and a root has
//! to be valid in time and for servers too.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use jiff::Timestamp;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::verify_server_name;
use rustls::crypto::CryptoProvider;
use rustls::crypto::ring::default_provider;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error, OtherError, RootCertStore, SignatureScheme,
};

use super::certificate::Certificate;

/// Maximum number of certificate names in a message, as in Go.
const MAX_NAMES: usize = 100;

/// The reason for rejecting a certificate, in Go's wording where Go rejects it too.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(super) struct NotTrusted(String);

/// The message about a server with a P-521 key, which Go supports.
const P_521_KEY: &str = "the server's certificate has a key on the curve P-521, which Crossplane supports and hostnet \
                         does not: use a key on P-256 or P-384, or an RSA key";

/// The message about a chain with a signature that the TLS library cannot check.
const UNCHECKED_SIGNATURE: &str = "the server's certificate, or one above it, is signed by a key on a curve or with an algorithm that is not supported here, such as one on \
                                   P-521: use keys on P-256 or P-384, or RSA keys, with SHA-256";

/// The message about a signature that the TLS library refuses; Go accepts RSA keys from 1024 bits on.
const BAD_SIGNATURE: &str = "the signature of the server's certificate, or of one above it, does not match the key of \
                             its authority, or this key is an RSA key of fewer than 2048 bits, which Crossplane \
                             supports and hostnet does not";

/// The message about a server that accepts nothing the client offers.
const HANDSHAKE: &str = "the server ends the TLS handshake (HandshakeFailure): it accepts no TLS version, cipher or \
                         key that hostnet supports. An example is TLS 1.2 and a certificate with a key on the curve \
                         P-521, which Crossplane supports";

impl NotTrusted {
    /// The reason for a handshake that the server ends.
    pub(super) fn handshake() -> Self {
        Self(HANDSHAKE.to_owned())
    }
}

/// The end of the message about an unknown authority.
const UNKNOWN_AUTHORITY: &str =
    " (give its CA certificates with `--ca FILE`, and to Crossplane's core with `registryCaBundleConfig` of its chart)";

/// TLS settings with these root certificates.
pub(super) fn client_config(roots: Vec<CertificateDer<'static>>) -> Result<ClientConfig, Error> {
    let provider = Arc::new(default_provider());
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let verifier = Arc::new(Verifier::new(roots, &provider, now));
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
    Ok(builder.dangerous().with_custom_certificate_verifier(verifier).with_no_client_auth())
}

/// Verifies certificates of servers as Go does.
#[derive(Debug)]
struct Verifier {
    roots: Vec<CertificateDer<'static>>,
    /// The verifier of the library, for chains to a root; `None` without a usable root.
    chains: Option<Arc<WebPkiServerVerifier>>,
    provider: Arc<CryptoProvider>,
}

impl Verifier {
    fn new(roots: Vec<CertificateDer<'static>>, provider: &Arc<CryptoProvider>, now: Duration) -> Self {
        let now = digits(now);
        let signs = |root: &&CertificateDer<'static>| {
            let root = Certificate::read(root);
            root.is_some_and(|root| root.may_sign && root.may_serve && time_fault(&root, &now).is_none())
        };
        let mut store = RootCertStore::empty();
        store.add_parsable_certificates(roots.iter().filter(signs).cloned());
        let chains = WebPkiServerVerifier::builder_with_provider(Arc::new(store), Arc::clone(provider)).build().ok();
        Self { roots, chains, provider: Arc::clone(provider) }
    }
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let own = Certificate::read(end_entity).ok_or(CertificateError::BadEncoding)?;
        let time = digits(Duration::from_secs(now.as_secs()));
        if let Some(fault) = time_fault(&own, &time) {
            return Err(not_trusted(&fault));
        }
        let parsed = ParsedCertificate::try_from(end_entity)?;
        verify_server_name(&parsed, server_name).map_err(|_| not_trusted(&name_fault(&own, &server_name.to_str())))?;
        if own.has_p521_key {
            return Err(certificate_error(P_521_KEY.to_owned()));
        }
        if self.roots.iter().any(|root| root.as_ref() == end_entity.as_ref()) {
            if own.may_serve {
                return Ok(ServerCertVerified::assertion());
            }
            return Err(not_trusted("certificate specifies an incompatible key usage"));
        }
        let unknown = || not_trusted(&format!("certificate signed by unknown authority{UNKNOWN_AUTHORITY}"));
        let Some(chains) = &self.chains else { return Err(unknown()) };
        let verified = chains.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now);
        verified.map_err(|error| match error {
            Error::InvalidCertificate(CertificateError::UnknownIssuer) => unknown(),
            Error::InvalidCertificate(
                CertificateError::UnsupportedSignatureAlgorithmContext { .. }
                | CertificateError::UnsupportedSignatureAlgorithmForPublicKeyContext { .. },
            ) => certificate_error(UNCHECKED_SIGNATURE.to_owned()),
            Error::InvalidCertificate(CertificateError::BadSignature) => certificate_error(BAD_SIGNATURE.to_owned()),
            // The library rejects a CA certificate used by a server before it searches for the issuer.
            Error::InvalidCertificate(_) if own.is_self_issued => unknown(),
            error => error,
        })
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        rustls::crypto::verify_tls12_signature(message, cert, dss, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        rustls::crypto::verify_tls13_signature(message, cert, dss, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        // Offer this scheme although the library lacks it: otherwise a server with a P-521 key
        // sends no certificate, and the certificate is needed to report the reason.
        let mut schemes = self.provider.signature_verification_algorithms.supported_schemes();
        schemes.push(SignatureScheme::ECDSA_NISTP521_SHA512);
        schemes
    }
}

/// Error about an untrusted certificate, in Go's words.
fn not_trusted(why: &str) -> Error {
    certificate_error(format!("tls: failed to verify certificate: x509: {why}"))
}

fn certificate_error(why: String) -> Error {
    Error::InvalidCertificate(CertificateError::Other(OtherError(Arc::new(NotTrusted(why)))))
}

/// Fault of a certificate that is expired or not yet valid.
fn time_fault(certificate: &Certificate, now: &str) -> Option<String> {
    let (word, limit) = match () {
        () if *now < *certificate.not_before => ("before", &certificate.not_before),
        () if *now > *certificate.not_after => ("after", &certificate.not_after),
        () => return None,
    };
    let (now, limit) = (written(now), written(limit));
    Some(format!("certificate has expired or is not yet valid: current time {now} is {word} {limit}"))
}

/// Fault of a certificate for another host.
fn name_fault(certificate: &Certificate, host: &str) -> String {
    if certificate.names.is_none()
        && certificate.common_name.as_deref().is_some_and(|name| name.eq_ignore_ascii_case(host))
    {
        return "certificate relies on legacy Common Name field, use SANs instead".to_owned();
    }
    let is_address = host.parse::<std::net::IpAddr>().is_ok();
    let names = certificate.names.as_ref().map(|all| if is_address { &all.addresses } else { &all.dns });
    let names = names.map_or(&[][..], Vec::as_slice);
    let what = if is_address { "IP SANs" } else { "names" };
    match names.len() {
        0 if is_address => format!("cannot validate certificate for {host} because it doesn't contain any IP SANs"),
        0 => format!("certificate is not valid for any names, but wanted to match {host}"),
        count if count >= MAX_NAMES => format!("certificate is valid for {count} {what}, but none matched {host}"),
        _ => format!("certificate is valid for {}, not {host}", names.join(", ")),
    }
}

/// Formats a time as `YYYYMMDDhhmmss` in UTC.
fn digits(since_epoch: Duration) -> String {
    let time = i64::try_from(since_epoch.as_secs()).ok().and_then(|seconds| Timestamp::from_second(seconds).ok());
    time.unwrap_or(Timestamp::MAX).strftime("%Y%m%d%H%M%S").to_string()
}

/// `2026-11-27T06:30:00Z`
fn written(digits: &str) -> String {
    let part = |from: usize, to: usize| digits.get(from..to).unwrap_or_default();
    format!("{}-{}-{}T{}:{}:{}Z", part(0, 4), part(4, 6), part(6, 8), part(8, 10), part(10, 12), part(12, 14))
}

#[cfg(test)]
mod tests {
    use rustls::pki_types::pem::PemObject;

    use super::*;

    /// The certificate of this name in `tests/certificates.pem`.
    fn certificate(name: &str) -> CertificateDer<'static> {
        let all = include_str!("../../tests/certificates.pem");
        let (_, after) = all.split_once(&format!("\n{name}\n")).unwrap();
        CertificateDer::from_pem_slice(after.as_bytes()).unwrap()
    }

    /// The verification error for a server at 127.0.0.1 with one certificate and one root.
    fn answer(server: &str, root: &str, now: Duration) -> String {
        let verifier = Verifier::new(vec![certificate(root)], &Arc::new(default_provider()), now);
        let name = ServerName::try_from("127.0.0.1").unwrap();
        let now = UnixTime::since_unix_epoch(now);
        match verifier.verify_server_cert(&certificate(server), &[], &name, &[], now) {
            Ok(_) => String::new(),
            Err(Error::InvalidCertificate(CertificateError::Other(own))) => own.0.to_string(),
            Err(other) => other.to_string(),
        }
    }

    /// 2030-01-01, and a date two centuries later.
    const NOW: Duration = Duration::from_hours(525_960);
    const LATE: Duration = Duration::from_secs(8_000_000_000);

    /// Results of Go 1.26 for the same certificates.
    #[test]
    fn certificates_are_trusted_as_go_trusts_them() {
        let unknown = "certificate signed by unknown authority";
        for (server, root, want) in [
            ("own", "own", ""),
            ("plain", "plain", ""),
            ("of-ca", "ca", ""),
            ("of-ca", "of-ca", ""),
            ("of-no-signing", "of-no-signing", ""),
            ("own", "ca", unknown),
            ("own", "of-ca", unknown),
            ("of-no-signing", "no-signing", unknown),
            ("of-no-ca", "no-ca", unknown),
            ("client", "client", "certificate specifies an incompatible key usage"),
            ("name", "name", "cannot validate certificate for 127.0.0.1 because it doesn't contain any IP SANs"),
            ("common-name", "common-name", "certificate relies on legacy Common Name field, use SANs instead"),
        ] {
            let message = answer(server, root, NOW);
            let message = message.strip_prefix("tls: failed to verify certificate: x509: ").unwrap_or(&message);
            let message = message.strip_suffix(UNKNOWN_AUTHORITY).unwrap_or(message);
            assert_eq!(message, want, "{server} with {root}");
        }
        assert_eq!(answer("large", "large", NOW), P_521_KEY);
        assert_eq!(answer("of-large-ca", "large-ca", NOW), UNCHECKED_SIGNATURE);
        assert_eq!(answer("of-large-ca", "of-large-ca", NOW), "");
        assert_eq!(answer("of-short-ca", "short-ca", NOW), BAD_SIGNATURE);
        // Go reports another reason here.
        assert_ne!(answer("of-client-ca", "client-ca", NOW), "");
        for (server, root) in [("own", "own"), ("of-ca", "ca"), ("of-ca", "of-ca")] {
            assert!(
                answer(server, root, LATE).contains("certificate has expired or is not yet valid: current time 2223-")
            );
        }
    }

    #[test]
    fn seconds_are_formatted_as_a_time() {
        for (seconds, want) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (4_107_542_399, "2100-02-28T23:59:59Z"),
        ] {
            assert_eq!(written(&digits(Duration::from_secs(seconds))), want);
        }
    }
}
