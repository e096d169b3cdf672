namespace Published.App;

internal sealed class Note
{
    public string Text { get; set; } = "";

    public override string ToString() => Text;
}
