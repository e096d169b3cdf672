using System;
using System.IO;
using System.Linq;
using System.Net;
using System.Threading.Tasks;
using BigPile.Server.Tests.Support;

namespace BigPile.Server.Tests;

/// <summary>A setting that is wrong ends the start in one line.</summary>
public sealed class WrongSettingTests : IDisposable
{
    private readonly TemporaryDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    [Theory]
    [InlineData("--Pile:MaxBytes=lots", "'Pile:MaxBytes' is 'lots'; it must be a size such as 1048576, 512m or 64g, or a percentage")]
    [InlineData("--Pile:MaxBytes=0%", "'Pile:MaxBytes' is '0%'; it must be a size")]
    [InlineData("--Pile:MaxBytes=101%", "a percentage of the memory above 0 % and up to 100 %")]
    [InlineData("--Pile:MaxBytes=70%", "'Pile:MaxBytes' is '70%'; it must be a size such as 64g, or be left out: no part of the memory")]
    [InlineData("--Pile:SegmentBytes=5m", "'Pile:SegmentBytes' is '5m'; it must be a power of two from 4m to 1g")]
    [InlineData("--Pile:SegmentBytes=2g", "'Pile:SegmentBytes' is '2g'")]
    [InlineData("--Pile:MaxBytes=1k", "'Pile:MaxBytes' is '1k'; it must be at least 1m")]
    [InlineData("--Pile:Directory=", "'Pile:Directory' is ''; it must name a directory, such as ./data")]
    [InlineData("--Pile:Directory= ", "'Pile:Directory' is ' '")]
    [InlineData("--Pile:Directory=a\0b", "'Pile:Directory' is 'a?b'")]
    [InlineData("--Limits:BufferedBytes=1m",
        "'Limits:BufferedBytes' is '1m'; it must be at least eight times 'Server:MaxBodyBytes', 268,435,456 bytes")]
    [InlineData("--Server:MaxBodyBytes=64m",
        "'Limits:BufferedBytes' is '256m'; it must be at least eight times 'Server:MaxBodyBytes', 536,870,912 bytes")]
    [InlineData("--Pile:FlushSeconds=0", "'Pile:FlushSeconds' is '0'; it must be a number of seconds from 1 to 604800")]
    [InlineData("--Pile:FlushSeconds=604801", "'Pile:FlushSeconds' is '604801'; it must be a number of seconds from 1 to 604800")]
    [InlineData("--Pile:FlushLogBytes=2g", "'Pile:FlushLogBytes' is '2g'; it must be from 1,048,576 to 1,073,741,824 bytes")]
    [InlineData("--Pile:FlushLogBytes=1k", "'Pile:FlushLogBytes' is '1k'; it must be from")]
    [InlineData("--Pile:Store=disk", "'Pile:Store' is 'disk'; it must be one of Managed, Native, Mapped")]
    [InlineData("--Pile:CreateDirectory=no", "'Pile:CreateDirectory' is 'no'; it must be true or false")]
    [InlineData("--Pile:HugePages=2", "'Pile:HugePages' is '2'; it must be true or false")]
    [InlineData("--Pile:ReadOnly=true", "no setting 'Pile:ReadOnly'")]
    [InlineData("--Pile:Warmup=hot", "'Pile:Warmup' is 'hot'; it must be one of Off, Advise, Touch, Verify")]
    [InlineData("--Pile:Warmup=1", "'Pile:Warmup' is '1'; it must be one of")]
    [InlineData("--Pile:WarmupBytesPerSecond=fast", "'Pile:WarmupBytesPerSecond' is 'fast'")]
    [InlineData("--Pile:Checksums=on", "'Pile:Checksums' is 'on'; it must be one of Off, AtFirstUse, AtEveryRead")]
    [InlineData("--Pile:Directry=x", "no setting 'Pile:Directry'")]
    [InlineData("--Server:AllowInsecure=perhaps", "'Server:AllowInsecure' is 'perhaps'")]
    [InlineData("--Server:DrainSeconds=-1", "'Server:DrainSeconds' is '-1'")]
    [InlineData("--Server:MaxBodyBytes=2g", "'Server:MaxBodyBytes' is '2g'; it must be from 1 to 1,073,676,288 bytes")]
    [InlineData("--Server:MaxBodyBytes=0", "'Server:MaxBodyBytes' is '0'; it must be from 1 to")]
    [InlineData("--urls=nonsense", "'nonsense' is no address")]
    [InlineData("--Limits:HeaderCount=3", "'Limits:HeaderCount' is '3'; it must be a whole number from 8 to 10,000")]
    [InlineData("--Limits:HeaderBytes=1t", "'Limits:HeaderBytes' is '1t'; it must be from 1,024 to 1,048,576 bytes")]
    [InlineData("--Limits:RequestLineBytes=1k", "'Limits:RequestLineBytes' is '1k'; it must be from 4,096")]
    [InlineData("--Limits:RequestSeconds=0", "'Limits:RequestSeconds' is '0'; it must be a number of seconds from 1 to 86400")]
    [InlineData("--Limits:Connections=0", "'Limits:Connections' is '0'")]
    [InlineData("--Limits:ConcurrentRequests=many", "'Limits:ConcurrentRequests' is 'many'")]
    [InlineData("--Limits:MinBodyBytesPerSecond=-1", "'Limits:MinBodyBytesPerSecond' is '-1'")]
    [InlineData("--Limits:Conections=5", "no setting 'Limits:Conections'")]
    [InlineData("--Security:Keys=a", "'Security:Keys' is 'a'; it must be a list, such as Security:Keys:0:Name=shop")]
    [InlineData("--Security:Keys:0=a", "'Security:Keys:0' is 'a'; it must have parts")]
    [InlineData("--Pile:MaxBytes:0=1g", "no setting 'Pile:MaxBytes:0'")]
    [InlineData("--Security:Kees:0:Name=x", "no setting 'Security:Kees:0:Name'")]
    [InlineData("--Security:Keys:0:Nane=x", "no setting 'Security:Keys:0:Nane'")]
    [InlineData("--Security:Keys:0:Scopes=all", "'Security:Keys:0:Scopes' has a word that is none of")]
    [InlineData("--Security:Keys:0:Scopes=read", "'Security:Keys:0' is wrong. The key's name is ''")]
    [InlineData("--Tls:KeyPath=x", "a 'Tls:KeyPath' and no 'Tls:CertificatePath'")]
    [InlineData("--Tls:CertificatePath=/none/such.pem", "certificate in '/none/such.pem' can't be used")]
    [InlineData("--Metrics:Path=metrics", "'Metrics:Path' is 'metrics'")]
    [InlineData("--Security:AdminUrl=http://127.0.0.1:0",
        "'Security:AdminUrl' is 'http://127.0.0.1:0'; it must be an address with a port of its own")]
    [InlineData("--Security:AdminUrl=nonsense", "'nonsense' is no address")]
    [InlineData("--Server:LogOneIn=0", "'Server:LogOneIn' is '0'")]
    [InlineData("--Directory=x", "no setting 'Directory'. Did you mean 'Pile:Directory'?")]
    [InlineData("--bogus", "no setting 'bogus'")]
    [InlineData("--url=http://127.0.0.1:0", "no setting 'url'. Did you mean 'urls'?")]
    [InlineData("-x", "'-x' is no setting. One is written --Name=value")]
    [InlineData("--Pile:Directory", "'Pile:Directory' has no value")]
    [InlineData("--Metrics:Path=/v1/stats", "'Metrics:Path' is '/v1/stats', where the service has '/v1' already")]
    [InlineData("--Metrics:Path=/", "'Metrics:Path' is '/'")]
    [InlineData("--Metrics:Path=/console", "where the service has '/console' already")]
    [InlineData("--urls=http://127.0.0.1:99999", "'http://127.0.0.1:99999' is no address to listen on: a port is from 1 to 65535")]
    [InlineData("--urls=http://127.0.0.1:0/base", "it has the path '/base'")]
    [InlineData("--urls=ftp://127.0.0.1:0", "its scheme is neither http nor https")]
    [InlineData("--urls=http://127.0.0.1:5999;http://127.0.0.1:5999", "is given twice")]
    [InlineData("--urls=https://127.0.0.1:0", "Set Tls:CertificatePath, or listen on an http address")]
    [InlineData("--urls=http://192.0.2.1:5080", "192.0.2.1")]
    [InlineData("--contentRoot=/nope", "no setting 'contentRoot'")]
    [InlineData("--Kestrel:Limits:MaxRequestBodySize=1",
        "no setting 'Kestrel:Limits'. Limits are in the section 'Limits', and 'Server:MaxBodyBytes'")]
    [InlineData("--Kestrel:AddServerHeader=true", "no setting 'Kestrel:AddServerHeader'")]
    [InlineData("--Logging:LogLevel:Default=Nope", "'Logging:LogLevel:Default' is 'Nope'; it must be one of Trace, Debug, Information")]
    [InlineData("--Logging:Console:LogLevel:Default=7", "'Logging:Console:LogLevel:Default' is '7'")]
    [InlineData("--Logging:LogLevel=Debug", "'Logging:LogLevel' is 'Debu…'; it must have parts")]
    [InlineData("--Serilog:WriteTo:0:Name=Nope", "'Serilog:…' can't be used: Unable to find a method called Nope")]
    [InlineData("--Serilog:WriteTo:0:Args:configure:0:Name=Nope", "Unable to find a method called Nope")]
    [InlineData("--Security:Hosts:0=http://x", "'Security:Hosts' has 'http://x', which is no name or address of a host")]
    [InlineData("--Security:Hosts=x:80", "'Security:Hosts' has 'x:80'")]
    [InlineData("--Security:Hosts=[::2]", "'Security:Hosts' has '[::2]'")]
    [InlineData("--Security:Hosts=*.x", "'Security:Hosts' has '*.x'")]
    [InlineData("--Security:Hosts=a b", "'Security:Hosts' has 'a b'")]
    [InlineData("--Security:Hosts=é", "'Security:Hosts' has 'é'")]
    [InlineData("--Security:Origins:0=x", "'Security:Origins' has 'x', which is no origin")]
    [InlineData("--Security:Origins=http://x/path", "'Security:Origins' has 'http://x/path'")]
    [InlineData("--Security:Origins=http://x:80", "'Security:Origins' has 'http://x:80'")]
    [InlineData("--Security:Origins=http://u@x", "'Security:Origins' has 'http://u@x'")]
    [InlineData("--Security:Origins=http://*.x", "'Security:Origins' has 'http://*.x'")]
    [InlineData("--Http:IgnoredHeaders=Range", "'Http:IgnoredHeaders' has 'Range', which means something to a read")]
    [InlineData("--Http:IgnoredHeaders=Via,if-match", "'Http:IgnoredHeaders' has 'if-match', which means something")]
    [InlineData("--Http:IgnoredHeaders=If-Whatever", "'Http:IgnoredHeaders' has 'If-Whatever', which means something")]
    [InlineData("--Http:IgnoredHeaders=Transfer-Encoding", "'Http:IgnoredHeaders' has 'Transfer-Encoding'")]
    [InlineData("--Http:IgnoredHeaders=Host", "'Http:IgnoredHeaders' has 'Host'")]
    [InlineData("--Http:IgnoredHeaders=Content-Length", "'Http:IgnoredHeaders' has 'Content-Length'")]
    [InlineData("--Http:IgnoredHeaders=Authorization", "'Http:IgnoredHeaders' has 'Authorization'")]
    [InlineData("--Http:IgnoredHeaders=X-Api-Key", "'Http:IgnoredHeaders' has 'X-Api-Key'")]
    [InlineData("--Http:IgnoredHeaders=BigPile-Ttl", "'Http:IgnoredHeaders' has 'BigPile-Ttl'")]
    [InlineData("--Http:IgnoredHeaders=a b", "'Http:IgnoredHeaders' has 'a b', which is no name of a header")]
    [InlineData("--Http:IgnoredHeaders=é", "'Http:IgnoredHeaders' has 'é', which is no name of a header")]
    [InlineData("--Serilog:MinimumLevel:Default=loud", "'Serilog:…' can't be used")]
    public async Task A_wrong_setting_is_named(string setting, string message)
    {
        (int code, _, string error) = await CommandRun.RunAsync([.. RunningServer.Arguments(_directory.Pile), setting]);
        Assert.Equal(1, code);
        Assert.Contains(message, error, StringComparison.Ordinal);
        Assert.Equal(1, error.Count(static character => character == '\n'));
    }

    [Fact]
    public async Task An_address_that_needs_a_certificate_is_refused_before_the_pile_is_made()
    {
        foreach (string setting in new[] { "--urls=https://127.0.0.1:0", "--Kestrel:Endpoints:A:Url=https://127.0.0.1:0" })
        {
            (int code, _, string error) = await CommandRun.RunAsync([.. RunningServer.Arguments(_directory.Pile), setting]);
            Assert.Equal(1, code);
            Assert.Contains("Set Tls:CertificatePath, or listen on an http address", error, StringComparison.Ordinal);
            Assert.DoesNotContain("dev-certs", error, StringComparison.Ordinal);
            Assert.False(Directory.Exists(_directory.Pile));
        }
    }

    [Fact]
    public async Task What_is_right_is_taken()
    {
        await using RunningServer server = await RunningServer.StartAsync(
            _directory.Pile, "--Security:Hosts=cache.internal.,a_b,10.1.2.3,FE80:0::1,*",
            "--Security:Origins=https://x:8443/,null,app://x,*",
            "--Http:IgnoredHeaders=X-Trace", "--Logging:LogLevel:Default=warning", "--Limits:BufferedBytes=512m",
            "--Server:MaxBodyBytes=64m",
            "--Kestrel:EndpointDefaults:Protocols=Http1");
        Assert.Equal(HttpStatusCode.OK, (await server.Client.GetAsync("/health/ready")).StatusCode);
    }

    [Fact]
    public async Task An_argument_does_not_swallow_the_next_one()
    {
        (int code, _, string error) = await CommandRun.RunAsync(["--Pile:Directory", .. RunningServer.Arguments(_directory.Pile)]);
        Assert.Equal(1, code);
        Assert.Contains("'Pile:Directory' has no value. Write --Pile:Directory=value.", error, StringComparison.Ordinal);
    }
}
