using System;
using System.Linq;
using System.Threading.Tasks;
using BigPile.AspNetCore.Tests.Support;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;

namespace BigPile.AspNetCore.Tests;

/// <summary>Options of a pile from the configuration: what is written there counts, or keeps the host from starting.</summary>
public sealed class ConfiguredOptionsTests
{
    [Fact]
    public void Sizes_are_written_as_people_write_them_and_all_else_as_the_framework_reads_it()
    {
        BigPileOptions options = Read(
            ("MaxBytes", "8g"), ("segmentbytes", "16 MiB"), ("FlushLogBytes", "2097152"), ("WarmupBytesPerSecond", ""),
            ("Store", "Managed"), ("FlushInterval", "00:00:05"), ("HugePages", "false"), ("CodecOptions:InitializeNewMembers", "true"));
        Assert.Equal(((long?)8 << 30, 16 << 20, 2 << 20, 0), (options.MaxBytes, options.SegmentBytes, options.FlushLogBytes,
            options.WarmupBytesPerSecond));
        Assert.Equal((StoreKind.Managed, TimeSpan.FromSeconds(5), false), (options.Store, options.FlushInterval, options.HugePages));
        Assert.True(options.CodecOptions.InitializeNewMembers);
    }

    [Theory]
    [InlineData("Directry", "/data", "'BigPile:Directry'", "'BigPile:Directory'")]
    [InlineData("Zebra", "1", "'BigPile:Zebra'", "MaxBytes")]
    [InlineData("Opened", "1", "'BigPile:Opened'", "MaxBytes")]
    [InlineData("CodecOptions:MayExtendContract", "true", "'BigPile:CodecOptions:MayExtendContracts'")]
    [InlineData("MaxBytes", "8x", "'BigPile:MaxBytes'", "'8x'", "64g")]
    [InlineData("MaxBytes", "0%", "'BigPile:MaxBytes'", "'0%'", "64g", "above 0 % and up to 100 %")]
    [InlineData("MaxBytes", "101%", "'BigPile:MaxBytes'", "'101%'", "above 0 % and up to 100 %")]
    [InlineData("MaxBytes", "-5%", "'BigPile:MaxBytes'", "above 0 % and up to 100 %")]
    [InlineData("MaxBytes", "%", "'BigPile:MaxBytes'", "above 0 % and up to 100 %")]
    [InlineData("MaxBytes", "most", "'BigPile:MaxBytes'", "'most'", "above 0 % and up to 100 %")]
    [InlineData("SegmentBytes", "10%", "'BigPile:SegmentBytes' is '10%'; it must be a size such as 1048576, 512m or 64g.")]
    [InlineData("MemoryShare", "70%", "'BigPile:MemoryShare' is '70%'; it must be a number such as 0.7")]
    [InlineData("MemoryShare", "1.5", "BigPileOptions.MemoryShare is 1.5; it must be above 0 and at most 1")]
    [InlineData("Directory:Path", "/data", "'BigPile:Directory:Path'", "'BigPile:Directory'")]
    [InlineData("CodecOptions", "all", "'BigPile:CodecOptions'", "MayExtendContracts")]
    [InlineData("HugePages", "maybe", "'BigPile:HugePages'")]
    [InlineData("FlushInterval", "5", "'BigPile:FlushInterval'", "00:00:05")]
    [InlineData("FlushInterval", "5s", "'BigPile:FlushInterval'", "00:00:05")]
    public async Task What_is_no_option_keeps_the_host_from_starting(string key, string value, params string[] named)
    {
        Exception told = await Assert.ThrowsAnyAsync<Exception>(() => TestHost.StartAsync(
            services => services.AddBigPile(Section((key, value)))));
        Assert.All(named, name => Assert.Contains(name, told.Message, StringComparison.Ordinal));
    }

    [Fact]
    public async Task A_section_that_is_not_there_keeps_the_host_from_starting()
    {
        IConfiguration configuration = new ConfigurationBuilder().AddInMemoryCollection([new("BigPile:Directory", "data")]).Build();
        OptionsValidationException told = await Assert.ThrowsAsync<OptionsValidationException>(() => TestHost.StartAsync(
            services => services.AddBigPile(configuration.GetSection("BigPle"))));
        Assert.Contains("no section 'BigPle'", told.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_named_pile_has_its_section_and_code_counts_more()
    {
        await using TestHost host = await TestHost.StartAsync(static services => services.AddBigPile(
            "scratch", Section(("MaxBytes", "64m"), ("SegmentBytes", "4m")), static options => options.MaxBytes = 32 << 20));
        BigPileOptions options = host.Service<IOptionsMonitor<BigPileOptions>>().Get("scratch");
        Assert.Equal(((long?)32 << 20, 4 << 20), (options.MaxBytes, options.SegmentBytes));
    }

    [Theory]
    [InlineData("70%", 0.7)]
    [InlineData(" 62.5 % ", 0.625)]
    [InlineData("100%", 1)]
    [InlineData("0.1%", 0.001)]
    public void A_limit_in_percent_is_a_part_of_the_memory(string text, double share)
    {
        BigPileOptions options = Read(("maxbytes", text));
        Assert.Equal((null, share), (options.MaxBytes, options.MemoryShare));
        options = Read(("MaxBytes", text), ("Directory", "x"), ("Shared", "true"));
        Assert.Equal((null, share), (options.MaxBytes, options.MemoryShare));
        Assert.Equal((null, null), (Read(("Name", "x")).MaxBytes, Read(("MaxBytes", "")).MemoryShare));
        Assert.Equal(0.25, Read(("MemoryShare", "0.25")).MemoryShare);
    }

    [Theory]
    [InlineData("MemoryShare", "0.5", "'BigPile:MaxBytes' is '70%', and 'BigPile:MemoryShare' says the same thing; leave one out.")]
    [InlineData("Directory", "data", "'BigPile:MaxBytes' is '70%', and 'BigPile:Directory' puts the pile in files", "a size such as 64g")]
    public async Task A_limit_in_percent_does_not_go_with_everything(string key, string value, params string[] named)
    {
        Exception told = await Assert.ThrowsAnyAsync<Exception>(() => TestHost.StartAsync(
            services => services.AddBigPile(Section(("MaxBytes", "70%"), (key, value)))));
        Assert.All(named, name => Assert.Contains(name, told.Message, StringComparison.Ordinal));
    }

    [Theory]
    [InlineData("MaxBytes", "64m", "BigPileOptions.MaxBytes is 67,108,864, and BigPileOptions.MemoryShare is 0.5", "leave one of them out")]
    [InlineData("Directory", "data", "MemoryShare is 0.5, and BigPileOptions.Directory puts the pile in files", "or leave both out")]
    public async Task Nor_does_a_share(string key, string value, params string[] named)
    {
        Exception told = await Assert.ThrowsAnyAsync<Exception>(() => TestHost.StartAsync(
            services => services.AddBigPile(Section(("MemoryShare", "0.5"), (key, value)))));
        Assert.All(named, name => Assert.Contains(name, told.Message, StringComparison.Ordinal));
        Assert.Equal(0.5, Read(("MemoryShare", "0.5"), ("Directory", "data"), ("Shared", "true")).MemoryShare);
    }

    [Fact]
    public async Task A_percentage_of_hardly_anything_is_refused_with_what_it_comes_to()
    {
        Exception told = await Assert.ThrowsAnyAsync<Exception>(() => TestHost.StartAsync(
            static services => services.AddBigPile(Section(("MaxBytes", "0.000001%"), ("Store", "Native")))));
        Assert.Contains("The limit of the pile, 0.000001 % of the ", told.Message, StringComparison.Ordinal);
        Assert.Contains(
            "less than the least of 1,048,576. Set PileOptions.MaxBytes (Pile:MaxBytes of a server), or raise", told.Message,
            StringComparison.Ordinal);
    }

    private static BigPileOptions Read(params (string Key, string Value)[] settings)
    {
        var services = new ServiceCollection();
        services.AddBigPile(Section(settings));
        using ServiceProvider provider = services.BuildServiceProvider();
        return provider.GetRequiredService<IOptions<BigPileOptions>>().Value;
    }

    private static IConfigurationSection Section(params (string Key, string Value)[] settings) => new ConfigurationBuilder()
        .AddInMemoryCollection(settings.ToDictionary(static pair => $"BigPile:{pair.Key}", static pair => (string?)pair.Value))
        .Build().GetSection("BigPile");
}
