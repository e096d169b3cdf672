using System;
using System.IO;
using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Cryptography.X509Certificates;
using System.Threading.Tasks;
using BigPile.Server.Hosting;
using BigPile.Server.Tests.Support;

namespace BigPile.Server.Tests.Security;

public sealed class CertificateTests : IDisposable
{
    private readonly TemporaryDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    [Fact]
    public async Task New_connections_get_the_new_certificate_and_old_ones_go_on()
    {
        string first = WritePem("first");
        await using RunningServer server = await StartAsync($"--Tls:KeyPath={KeyPath}");
        using SslStream old = await ConnectAsync(server);
        Assert.Equal(first, old.RemoteCertificate!.GetCertHashString());

        string second = WritePem("second");
        Assert.NotEqual(first, second);
        using (SslStream before = await ConnectAsync(server))
            Assert.Equal(first, before.RemoteCertificate!.GetCertHashString());
        server.Service<ServerCertificate>().ReloadIfChanged();
        using (SslStream after = await ConnectAsync(server))
            Assert.Equal(second, after.RemoteCertificate!.GetCertHashString());
        await AssertAnswersAsync(old);
    }

    [Fact]
    public async Task A_certificate_that_cannot_be_read_leaves_the_old_one_in_use()
    {
        string first = WritePem("first");
        await using RunningServer server = await StartAsync($"--Tls:KeyPath={KeyPath}");
        _directory.Write("tls.pem", "-----BEGIN CERTIFICATE-----\nhalf");
        server.Service<ServerCertificate>().ReloadIfChanged();
        using (SslStream stream = await ConnectAsync(server))
            Assert.Equal(first, stream.RemoteCertificate!.GetCertHashString());
        string second = WritePem("second");
        server.Service<ServerCertificate>().ReloadIfChanged();
        using (SslStream stream = await ConnectAsync(server))
            Assert.Equal(second, stream.RemoteCertificate!.GetCertHashString());
    }

    [Fact]
    public async Task A_PKCS12_file_with_a_password_will_do()
    {
        using X509Certificate2 certificate = SelfSigned.Make("pkcs12");
        File.WriteAllBytes(CertificatePath, certificate.Export(X509ContentType.Pkcs12, "secret"));
        await using RunningServer server = await StartAsync("--Tls:Password=secret");
        using SslStream stream = await ConnectAsync(server);
        Assert.Equal(certificate.GetCertHashString(), stream.RemoteCertificate!.GetCertHashString());
        await AssertAnswersAsync(stream);
    }

    [Fact]
    public async Task The_second_version_of_HTTP_is_agreed_on_by_TLS()
    {
        WritePem("first");
        await using RunningServer server = await StartAsync($"--Tls:KeyPath={KeyPath}");
        using var tls = new SslStream(await OpenAsync(server), false, static (_, _, _, _) => true);
        await tls.AuthenticateAsClientAsync(new SslClientAuthenticationOptions
        {
            TargetHost = "localhost",
            ApplicationProtocols = [SslApplicationProtocol.Http2, SslApplicationProtocol.Http11],
        });
        Assert.Equal(SslApplicationProtocol.Http2, tls.NegotiatedApplicationProtocol);
    }

    private string CertificatePath => Path.Combine(_directory.Path, "tls.pem");

    private string KeyPath => Path.Combine(_directory.Path, "tls.key");

    private Task<RunningServer> StartAsync(params string[] settings) => RunningServer.StartAsync(
        _directory.Pile, ["--urls=https://127.0.0.1:0", $"--Tls:CertificatePath={CertificatePath}", "--Tls:ReloadSeconds=0", .. settings]);

    private string WritePem(string name)
    {
        using X509Certificate2 certificate = SelfSigned.Make(name);
        SelfSigned.WriteTo(_directory, certificate);
        return certificate.GetCertHashString();
    }

    private static async Task<NetworkStream> OpenAsync(RunningServer server)
    {
        var socket = new Socket(SocketType.Stream, ProtocolType.Tcp);
        await socket.ConnectAsync(IPAddress.Loopback, server.Address.Port);
        return new NetworkStream(socket, ownsSocket: true);
    }

    private static async Task<SslStream> ConnectAsync(RunningServer server)
    {
        var tls = new SslStream(await OpenAsync(server), false, static (_, _, _, _) => true);
        await tls.AuthenticateAsClientAsync("localhost");
        return tls;
    }

    private static async Task AssertAnswersAsync(SslStream stream)
    {
        await stream.WriteAsync("GET /health/ready HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"u8.ToArray());
        using var reader = new StreamReader(stream);
        Assert.StartsWith("HTTP/1.1 200 OK", await reader.ReadToEndAsync().WaitAsync(Eventually.Timeout), StringComparison.Ordinal);
    }
}
