using System;
using System.Net;
using System.Net.Http;
using System.Security.Cryptography.X509Certificates;
using System.Threading.Tasks;
using BigPile.Http.Metrics;
using BigPile.Server.Hosting;
using BigPile.Server.Tests.Support;

namespace BigPile.Server.Tests;

/// <summary>The fast path on the server's endpoints.</summary>
public sealed class FastPathTests : IDisposable
{
    private const string Path = "/v1/tables/t/entries/k";

    private readonly TemporaryDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    [Theory]
    [InlineData(2, "--Http:FastDoor=true")]
    [InlineData(0, "--Http:FastDoor=false")]
    [InlineData(2, "--Server:LogEntryReads=true")]
    [InlineData(0, "--AllowedHosts=127.0.0.1")]
    public async Task Plain_reads_go_through_it_unless_something_would_differ(int answered, string setting)
    {
        await using RunningServer server = await RunningServer.StartAsync(_directory.Pile, setting);
        FastPathCounters counters = server.Service<FastPathCounters>();
        (await server.PutAsync(Path, [1, 2])).EnsureSuccessStatusCode();
        Assert.Equal([1, 2], await server.Client.GetByteArrayAsync(Path));
        await server.SendRawAsync("GET " + Path, "X-Forwarded-For: 10.0.0.1");
        Assert.Equal(answered, counters.Answered);
    }

    [Theory]
    [InlineData("--urls=https://127.0.0.1:0")]
    [InlineData("--urls=", "--Kestrel:Endpoints:A:Url=https://127.0.0.1:0")]
    public async Task It_stands_behind_tls_and_leaves_http2_alone(params string[] endpoint)
    {
        string[] settings =
        [
            .. endpoint, "--Kestrel:Certificates:Default:Path=" + WriteCertificate(), "--Kestrel:Certificates:Default:Password=x",
        ];
        await using RunningServer server = await RunningServer.StartAsync(_directory.Pile, settings);
        FastPathCounters counters = server.Service<FastPathCounters>();
        using var handler = new HttpClientHandler { ServerCertificateCustomValidationCallback = static (_, _, _, _) => true };
        using var client = new HttpClient(handler) { BaseAddress = server.Address };
        (await client.PutAsync(Path, new ByteArrayContent([1, 2]))).EnsureSuccessStatusCode();
        for (int minor = 1; minor >= 0; minor--)
        {
            using var request = new HttpRequestMessage(HttpMethod.Get, Path)
            {
                Version = minor == 1 ? HttpVersion.Version11 : HttpVersion.Version20,
                VersionPolicy = HttpVersionPolicy.RequestVersionExact,
            };
            using HttpResponseMessage response = await client.SendAsync(request);
            Assert.Equal((HttpStatusCode.OK, request.Version), (response.StatusCode, response.Version));
            Assert.Equal(1, counters.Answered);
        }
    }

    [Theory]
    [InlineData("--Http:FastDor=true", "There is no setting 'Http:FastDor'")]
    [InlineData("--Http:InlineScheduling=yes", "Http:InlineScheduling")]
    [InlineData("--Http:MaxLeaseSeconds=0", "from 1 to 86400")]
    public void A_wrong_setting_is_named(string setting, string named)
    {
        SettingsException e =
            Assert.Throws<SettingsException>(() => ServerApplication.Build(RunningServer.Arguments(_directory.Pile, setting)));
        Assert.Contains(named, e.Message, StringComparison.Ordinal);
    }

    private string WriteCertificate()
    {
        using X509Certificate2 certificate = SelfSigned.Make("localhost");
        return _directory.Write("certificate.pfx", certificate.Export(X509ContentType.Pfx, "x"));
    }
}
