using System;
using System.IO;
using System.Net.Security;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using System.Threading;
using Microsoft.Extensions.Logging;

namespace BigPile.Server.Hosting;

/// <summary>The TLS certificate of new connections: the last readable version of the files.</summary>
/// <remarks>
/// Polls the files rather than watch them: a replacement may switch a link to another directory, which watchers miss. Existing connections
/// keep their certificate. Thread safety: all members may be called concurrently.
/// </remarks>
internal sealed class ServerCertificate : IDisposable
{
    private readonly TlsSettings _settings;
    private readonly ILogger<ServerCertificate> _logger;
    private readonly Lock _reloading = new();
    private readonly ITimer? _timer;
    private volatile SslStreamCertificateContext _current;
    private string _stamp;

    /// <summary>Reads the certificate.</summary>
    /// <exception cref="SettingsException">It can't be read.</exception>
    public ServerCertificate(TlsSettings settings, TimeProvider time, ILogger<ServerCertificate> logger)
    {
        _settings = settings;
        _logger = logger;
        try
        {
            _stamp = ReadStamp();
            _current = Load();
        }
        catch (Exception e) when (IsUnreadable(e))
        {
            throw new SettingsException(
                $"The certificate in '{settings.CertificatePath}' can't be used: {e.Message} See Tls:CertificatePath and Tls:KeyPath.");
        }
        if (settings.ReloadPeriod > TimeSpan.Zero)
            _timer = time.CreateTimer(
                static self => ((ServerCertificate)self!).ReloadIfChanged(), this, settings.ReloadPeriod, settings.ReloadPeriod);
    }

    /// <summary>The certificate with its private key and chain.</summary>
    internal SslStreamCertificateContext Current => _current;

    /// <summary>Reloads the files if they changed. If they can't be read, the old certificate stays in use.</summary>
    internal void ReloadIfChanged()
    {
        lock (_reloading)
        {
            try
            {
                string stamp = ReadStamp();
                if (stamp == _stamp)
                    return;
                _current = Load();
                _stamp = stamp;
                _logger.LogInformation(
                    "New connections get the certificate {Thumbprint}, good until {NotAfter:u}",
                    _current.TargetCertificate.Thumbprint, _current.TargetCertificate.NotAfter.ToUniversalTime());
            }
            catch (Exception e) when (IsUnreadable(e))
            {
                _logger.LogError(
                    "The new certificate in {Path} can't be used, the old one stays: {Reason}", _settings.CertificatePath, e.Message);
            }
        }
    }

    public void Dispose() => _timer?.Dispose();

    private static bool IsUnreadable(Exception exception) =>
        exception is CryptographicException or IOException or UnauthorizedAccessException or ArgumentException;

    private string ReadStamp()
    {
        string stamp = StampOf(_settings.CertificatePath);
        return _settings.KeyPath is { } keyPath ? stamp + StampOf(keyPath) : stamp;
    }

    // Compares content, since a file may be replaced within a clock tick or keep its old time.
    private static string StampOf(string path) => Convert.ToHexString(SHA256.HashData(File.ReadAllBytes(path)));

    private SslStreamCertificateContext Load()
    {
        var all = new X509Certificate2Collection();
        X509Certificate2 own;
        if (IsPem(_settings.CertificatePath))
        {
            own = LoadPem();
            all.ImportFromPemFile(_settings.CertificatePath);
        }
        else
        {
            all = X509CertificateLoader.LoadPkcs12CollectionFromFile(_settings.CertificatePath, _settings.Password);
            own = FindOwn(all);
        }
        return SslStreamCertificateContext.Create(own, all, offline: true);
    }

    private X509Certificate2 LoadPem() => _settings.Password is { } password
        ? X509Certificate2.CreateFromEncryptedPemFile(_settings.CertificatePath, password, _settings.KeyPath)
        : X509Certificate2.CreateFromPemFile(_settings.CertificatePath, _settings.KeyPath);

    private static X509Certificate2 FindOwn(X509Certificate2Collection all)
    {
        foreach (X509Certificate2 certificate in all)
        {
            if (certificate.HasPrivateKey)
                return certificate;
        }
        throw new CryptographicException("The file has no private key.");
    }

    private static bool IsPem(string path) => File.ReadAllText(path).Contains("-----BEGIN ", StringComparison.Ordinal);
}
