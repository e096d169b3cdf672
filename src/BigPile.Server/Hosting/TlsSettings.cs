using System;
using System.Collections.Generic;
using System.Linq;
using Microsoft.Extensions.Configuration;

namespace BigPile.Server.Hosting;

/// <summary>The settings <c>Tls:…</c>: the certificate of all https addresses.</summary>
/// <param name="CertificatePath">A PEM file with the certificate and its chain, or a PKCS #12 file.</param>
/// <param name="KeyPath">The PEM file with the private key; <see langword="null"/>: the certificate's file has it.</param>
/// <param name="Password">The private key's password, if it is encrypted.</param>
/// <param name="ReloadPeriod">How often the files are polled for a new certificate; zero: never.</param>
internal sealed record TlsSettings(string CertificatePath, string? KeyPath, string? Password, TimeSpan ReloadPeriod)
{
    internal static readonly string[] Known = ["Tls:CertificatePath", "Tls:KeyPath", "Tls:Password", "Tls:ReloadSeconds"];

    /// <summary>Reads the settings.</summary>
    /// <returns><see langword="null"/> when there are none.</returns>
    /// <exception cref="SettingsException">A setting is unknown or wrong.</exception>
    internal static TlsSettings? Read(IConfiguration configuration)
    {
        Setting.RefuseUnknown(configuration.GetSection("Tls"), Known);
        TimeSpan period = Setting.Seconds(configuration, "Tls:ReloadSeconds", 60, 0);
        string? keyPath = Setting.Text(configuration, "Tls:KeyPath");
        if (Setting.Text(configuration, "Tls:CertificatePath") is { } path)
            return new TlsSettings(path, keyPath, Setting.Text(configuration, "Tls:Password"), period);
        return keyPath == null
            ? null
            : throw new SettingsException("There is a 'Tls:KeyPath' and no 'Tls:CertificatePath'; set both, or neither.");
    }

    /// <summary>Refuses an https address if there is no certificate for it.</summary>
    /// <exception cref="SettingsException">There is none.</exception>
    internal static void RequireFor(IReadOnlyList<string> addresses, IConfiguration configuration)
    {
        string? secure = addresses.FirstOrDefault(static address => address.StartsWith("https:", StringComparison.OrdinalIgnoreCase));
        if (secure == null || Setting.Text(configuration, "Tls:CertificatePath") != null || HasKestrelCertificate(configuration))
            return;
        throw new SettingsException(
            $"it can't listen on {secure}: there is no certificate. Set Tls:CertificatePath, or listen on an http address.");
    }

    // Kestrel also takes certificates from its own section.
    private static bool HasKestrelCertificate(IConfiguration configuration) =>
        configuration.GetSection("Kestrel:Certificates").Exists()
        || configuration.GetSection("Kestrel:Endpoints").GetChildren()
            .Any(static endpoint => endpoint.GetSection("Certificate").Exists() || endpoint.GetSection("Sni").Exists());
}
