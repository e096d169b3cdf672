using System.IO;
using System.Threading.Tasks;

namespace BigPile.Server.Tests.Support;

/// <summary>The program with a command line, run to its end in the test's process.</summary>
internal static class CommandRun
{
    /// <summary>Runs it.</summary>
    /// <returns>Its exit code, and what it said.</returns>
    internal static async Task<(int Code, string Output, string Error)> RunAsync(params string[] args)
    {
        var output = new StringWriter { NewLine = "\n" };
        var error = new StringWriter { NewLine = "\n" };
        int code = await Program.RunAsync(args, output, error);
        return (code, output.ToString(), error.ToString());
    }
}
