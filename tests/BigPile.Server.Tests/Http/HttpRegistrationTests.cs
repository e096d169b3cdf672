using System;
using System.Threading.Tasks;
using BigPile.AspNetCore.Tests.Support;
using BigPile.Http;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;

namespace BigPile.Server.Tests.Http;

/// <summary>What an application registers to serve its pile, and the errors of a wrong registration.</summary>
public sealed class HttpRegistrationTests
{
    public static TheoryData<Action<BigPileHttpOptions>, string> WrongOptions { get; } = new()
    {
        { static options => options.MaxBodyBytes = 0, "BigPileHttpOptions.MaxBodyBytes is 0; MaxBodyBytes must be from 1" },
        { static options =>
            options.MaxBufferedBytes = 1, "BigPileHttpOptions.MaxBufferedBytes is 1; it must be at least eight times MaxBodyBytes" },
        { static options => options.MaxLease = TimeSpan.Zero, "BigPileHttpOptions.MaxLease is 00:00:00; it must be longer than zero" },
        { static options => options.MaxBulkRequests = 0, "BigPileHttpOptions.MaxBulkRequests is 0; it must be at least 1" },
        { static options => options.MaxBatchItems = 0, "BigPileHttpOptions.MaxBatchItems is 0; it must be at least 1" },
        { static options => options.MaxBatchBytes = 0, "BigPileHttpOptions.MaxBatchBytes is 0; it must be from 1" },
    };

    [Theory]
    [MemberData(nameof(WrongOptions))]
    public async Task Wrong_options_are_found_when_the_host_starts(Action<BigPileHttpOptions> configure, string failure)
    {
        TestHost host = TestHost.Make(services =>
        {
            services.AddBigPile(TestHost.Small);
            services.AddBigPileHttp(configure);
        });
        OptionsValidationException error = await Assert.ThrowsAsync<OptionsValidationException>(() => host.Host.StartAsync());
        Assert.Contains(failure, error.Message, StringComparison.Ordinal);
        host.Host.Dispose();
    }

    [Fact]
    public async Task Options_from_several_calls_all_count()
    {
        await using TestHost host = await TestHost.StartAsync(static services =>
        {
            services.AddBigPileHttp(static options => options.MaxBatchItems = 7);
            services.AddBigPile(TestHost.Small);
            services.AddBigPileHttp(static options => options.MaxBatchBytes = 8);
        });
        BigPileHttpOptions options = host.Service<IOptions<BigPileHttpOptions>>().Value;
        Assert.Equal((7, 8L), (options.MaxBatchItems, options.MaxBatchBytes));
    }

    [Fact]
    public async Task Who_serves_without_the_service_or_without_a_pile_is_told_which_call_is_missing()
    {
        await using WebApplication withoutService = Build(static services => services.AddBigPile(TestHost.Small));
        await using WebApplication withoutPile = Build(static services => services.AddBigPileHttp());
        foreach (Action<WebApplication> serve in (Action<WebApplication>[])
            [static app => app.MapBigPile(), static app => app.UseBigPileEntries(), static app => app.MapTable("/x/{key}", "t")])
        {
            Assert.Contains("call AddBigPileHttp first", Assert.Throws<InvalidOperationException>(
                () => serve(withoutService)).Message, StringComparison.Ordinal);
            Assert.Contains("call AddBigPile first", Assert.Throws<InvalidOperationException>(
                () => serve(withoutPile)).Message, StringComparison.Ordinal);
        }
    }

    private static WebApplication Build(Action<IServiceCollection> configure)
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        configure(builder.Services);
        return builder.Build();
    }
}
