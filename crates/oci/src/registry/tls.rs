//! TLS connections with custom settings, because the HTTP client accepts no certificate verifier.

use std::fmt;
use std::io::{Read, Write};
use std::sync::Arc;

use rustls::pki_types::ServerName;
use rustls::{AlertDescription, CertificateError, ClientConfig, ClientConnection, StreamOwned};
use ureq::unversioned::transport::{
    Buffers, ConnectionDetails, Connector, Either, LazyBuffers, NextTimeout, Transport, TransportAdapter,
};

use super::trust::NotTrusted;

/// Adds TLS to connections that need it.
#[derive(Debug)]
pub(super) struct TlsConnector(pub(super) Arc<ClientConfig>);

impl<In: Transport> Connector<In> for TlsConnector {
    type Out = Either<In, TlsTransport>;

    fn connect(&self, details: &ConnectionDetails<'_>, chained: Option<In>) -> Result<Option<Self::Out>, ureq::Error> {
        let Some(transport) = chained else { return Ok(None) };
        if !details.needs_tls() || transport.is_tls() {
            return Ok(Some(Either::A(transport)));
        }
        let host = details.uri.host().unwrap_or_default().trim_matches(['[', ']']);
        let wrong = |_| ureq::Error::BadUri(format!("`{host}` is not the name of a server"));
        let name = ServerName::try_from(host.to_owned()).map_err(wrong)?;
        let mut conn =
            ClientConnection::new(Arc::clone(&self.0), name).map_err(|error| ureq::Error::Other(error.into()))?;
        let mut sock = TransportAdapter::new(transport.boxed(), Arc::clone(&details.current_time));
        sock.set_timeout(details.timeout);
        conn.complete_io(&mut sock).map_err(failed)?;
        let config = details.config;
        let buffers = LazyBuffers::new(config.input_buffer_size(), config.output_buffer_size());
        Ok(Some(Either::B(TlsTransport { buffers, stream: StreamOwned { conn, sock } })))
    }
}

/// Converts a handshake error, with the reason for a rejected certificate.
fn failed(error: std::io::Error) -> ureq::Error {
    let of_tls = error.get_ref().and_then(|error| error.downcast_ref::<rustls::Error>());
    if let Some(rustls::Error::InvalidCertificate(CertificateError::Other(own))) = of_tls
        && let Some(own) = own.0.downcast_ref::<NotTrusted>()
    {
        return ureq::Error::Other(Box::new(own.clone()));
    }
    if let Some(rustls::Error::AlertReceived(AlertDescription::HandshakeFailure)) = of_tls {
        return ureq::Error::Other(Box::new(NotTrusted::handshake()));
    }
    error.into()
}

/// A TLS connection.
pub(super) struct TlsTransport {
    buffers: LazyBuffers,
    stream: StreamOwned<ClientConnection, TransportAdapter>,
}

impl fmt::Debug for TlsTransport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TlsTransport").finish_non_exhaustive()
    }
}

impl Transport for TlsTransport {
    fn buffers(&mut self) -> &mut dyn Buffers {
        &mut self.buffers
    }

    fn transmit_output(&mut self, amount: usize, timeout: NextTimeout) -> Result<(), ureq::Error> {
        self.stream.sock.set_timeout(timeout);
        let output = self.buffers.output().get(..amount).unwrap_or_default();
        Ok(self.stream.write_all(output)?)
    }

    fn await_input(&mut self, timeout: NextTimeout) -> Result<bool, ureq::Error> {
        self.stream.sock.set_timeout(timeout);
        let amount = self.stream.read(self.buffers.input_append_buf())?;
        self.buffers.input_appended(amount);
        Ok(amount > 0)
    }

    fn is_open(&mut self) -> bool {
        self.stream.sock.get_mut().is_open()
    }

    fn is_tls(&self) -> bool {
        true
    }
}
