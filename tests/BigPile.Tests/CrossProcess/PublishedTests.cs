using System;
using System.Collections.Generic;
using System.Linq;

namespace BigPile.Tests.CrossProcess;

/// <summary>What one process of a published application has put, another one gets, which has touched none of its libraries.</summary>
public sealed class PublishedTests : IDisposable
{
    private const string SingleFile = "-p:PublishSingleFile=true";
    private const string SelfContained = "-p:SelfContained=true";
    private const string ReadyToRun = "-p:PublishReadyToRun=true";
    private const string Trimmed = "-p:PublishTrimmed=true";

    private readonly PublishedApp _app = new("Published.App", "tests/Published/App");

    // What the pile takes as it is, without the codec.
    private static Dictionary<string, string> Raw { get; } =
        new() { ["bytes"] = "raw", ["text"] = "plain", ["blobs"] = "raw too", ["all"] = "done" };

    private static Dictionary<string, string> Found { get; } = new(Raw)
    {
        ["near"] = "Order { Number = 1, Customer = Ada, Next = invalid }",
        ["far"] = "250 g to BERLIN",
        ["list"] = "Order { Number = 2, Customer = Bob, Next = invalid } & Order { Number = 3, Customer = Cy, Next = invalid }",
        ["own"] = "here",
        ["table"] = "Order { Number = 7, Customer = Grace, Next = invalid }",
    };

    private static Dictionary<string, string> FoundWithLoose { get; } =
        new(Found) { ["loose"] = "Voucher { Code = WELCOME, Order = invalid }" };

    public void Dispose() => _app.Dispose();

    [Fact]
    public void A_single_file_gets_objects_of_libraries_that_nobody_has_touched()
    {
        _app.PublishBuilt(SingleFile);
        AssertSingleFileKeeps();
    }

    [LongPublish]
    [InlineData(SelfContained)]
    [InlineData(ReadyToRun)]
    [InlineData(SelfContained, Trimmed, "-p:TrimMode=partial")]
    public void So_does_one_with_the_runtime_one_that_is_compiled_ahead_and_one_that_is_trimmed_in_part(params string[] more)
    {
        _app.PublishAnew([SingleFile, .. more]);
        AssertSingleFileKeeps();
    }

    [LongPublish]
    [InlineData(ReadyToRun)]
    [InlineData(SelfContained, Trimmed, "-p:TrimMode=partial")]
    public void Beside_files_it_gets_objects_of_any_library_that_lies_there(params string[] how)
    {
        _app.PublishAnew(how);
        Assert.All(_app.Run("put").Values, static said => Assert.DoesNotContain("Exception", said, StringComparison.Ordinal));
        Assert.Equal(FoundWithLoose, _app.Run("get"));
    }

    [LongPublish]
    [InlineData(SelfContained, Trimmed)]
    public void A_trimmed_one_says_so_and_the_remedy(params string[] how)
    {
        _app.PublishAnew(how);
        AssertRefuses("PileSerializationException: The program was trimmed, and so lacks types and members that BigPile finds by "
            + "reflection: publish it without <PublishTrimmed>, or with <TrimMode>partial</TrimMode>.");
    }

    [NativePublish]
    [InlineData(SelfContained, "-p:PublishAot=true")]
    public void One_of_Native_AOT_says_so_and_the_remedy(params string[] how)
    {
        _app.PublishAnew(how);
        AssertRefuses("PileSerializationException: The program was compiled by Native AOT, which keeps no description of types that "
            + "BigPile could store objects by: publish it with <PublishReadyToRun> in the place of <PublishAot>.");
    }

    private void AssertSingleFileKeeps()
    {
        Dictionary<string, string> put = _app.Run("put");
        Assert.Equal(Found, _app.Run("get"));
        Assert.StartsWith("PileSerializationException", put["loose"], StringComparison.Ordinal); // no later process could find it
        Assert.Contains("call PileCodecOptions.Allow", put["loose"], StringComparison.Ordinal);

        _app.Run("put", "allow");
        Assert.Equal(FoundWithLoose, _app.Run("get", "allow"));
    }

    private void AssertRefuses(string sentence)
    {
        Dictionary<string, string> put = _app.Run("put");
        put.Remove("loose"); // the program itself does not find it
        IEnumerable<string> refused = put.Where(line => line.Value == sentence).Select(static line => line.Key);
        Assert.Equal(Found.Keys.Except(Raw.Keys).Order(), refused.Order());
        Dictionary<string, string> got = _app.Run("get");
        Assert.All(Raw, line => Assert.Equal(line.Value, got[line.Key]));

        _app.RunBuilt("put");
        Dictionary<string, string> gotOfWhole = _app.Run("get");
        Assert.All(Found.Keys, name => Assert.Equal(Raw.GetValueOrDefault(name, sentence), gotOfWhole[name]));
    }
}
