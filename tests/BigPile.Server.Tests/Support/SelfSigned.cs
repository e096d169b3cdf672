using System;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace BigPile.Server.Tests.Support;

/// <summary>Certificates that nobody has signed but their own key.</summary>
internal static class SelfSigned
{
    /// <summary>Makes one with its key, for today.</summary>
    internal static X509Certificate2 Make(string name)
    {
        using RSA key = RSA.Create(2048);
        var request = new CertificateRequest("CN=" + name, key, HashAlgorithmName.SHA256, RSASignaturePadding.Pkcs1);
        DateTimeOffset now = TimeProvider.System.GetUtcNow();
        return request.CreateSelfSigned(now.AddDays(-1), now.AddDays(1));
    }

    /// <summary>Writes one as the files <c>tls.pem</c> and <c>tls.key</c>.</summary>
    internal static void WriteTo(TemporaryDirectory directory, X509Certificate2 certificate)
    {
        using RSA key = certificate.GetRSAPrivateKey()!;
        _ = directory.Write("tls.pem", certificate.ExportCertificatePem());
        _ = directory.Write("tls.key", key.ExportPkcs8PrivateKeyPem());
    }
}
