using BigPile.Perf.Graphs;

namespace BigPile.Perf.Tests;

public class GraphAnswersTests
{
    [Fact]
    public void Equal_answers_are_fine() => GraphAnswers.RequireEqual(Answers([1, 2], [3, 4]), Answers([1, 2], [3, 4]), _ => "");

    [Fact]
    public void Other_dependencies_fail_the_load() => AssertRefused(
        Answers([1, 1500], [3, 4]), Answers([1, 2], [3, 4]), "'package 1' has 1,500 transitive dependencies in the pile and 2 among");

    [Fact]
    public void Other_dependents_fail_the_load() => AssertRefused(
        Answers([1, 2], [0, 4]), Answers([1, 2], [3, 4]), "'package 0' has 0 transitive dependents in the pile and 3 among");

    [Fact]
    public void The_most_needed_come_first() => Assert.Equal([2, 0], Answers([], [5, 1, 7]).MostNeeded(2));

    private static void AssertRefused(GraphAnswers pile, GraphAnswers plain, string part)
    {
        LoadException error = Assert.Throws<LoadException>(() => GraphAnswers.RequireEqual(pile, plain, number => $"package {number}"));
        Assert.Contains(part, error.Message);
    }

    private static GraphAnswers Answers(int[] dependencies, int[] dependents) => new([Run(dependencies)], [Run(dependents)]);

    private static ClosureRun Run(int[] counts) => new(Threads: 1, counts, EdgesWalked: 1, Seconds: 1);
}
