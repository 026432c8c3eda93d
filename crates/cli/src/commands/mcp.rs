//! `kasuan mcp`: the same answers for assistants, over the Model Context Protocol on stdin and
//! stdout. Tools only ask; none of them writes a file or a ledger.

use crate::{
    context::Context,
    error::{CommandError, Exit},
    tools::Tools,
};
use kasuan_model::Phrase;
use rmcp::{
    ErrorData, RoleServer, ServerHandler, ServiceExt as _,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation,
        ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
        ToolAnnotations,
    },
    service::RequestContext,
    transport::stdio,
};
use serde_json::Value;
use std::sync::Arc;

#[derive(Debug, clap::Args)]
pub(crate) struct Mcp {}

/// Runs the command, until the client closes the stream.
pub(crate) fn run(_arguments: &Mcp, context: &Context) -> Result<Exit, CommandError> {
    let failed = |reason: String| {
        CommandError::surroundings(Phrase::new("mcp-failed").with("reason", reason))
    };
    let server = Server {
        tools: Arc::new(Tools::new(context)),
        instructions: context.words.word("mcp-instructions"),
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| failed(error.to_string()))?;
    runtime.block_on(async {
        let running = server.serve(stdio()).await.map_err(|error| failed(error.to_string()))?;
        running.waiting().await.map_err(|error| failed(error.to_string()))
    })?;
    Ok(Exit::Done)
}

/// Answers an assistant.
struct Server {
    tools: Arc<Tools>,
    instructions: String,
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("kasuan", env!("CARGO_PKG_VERSION")))
            .with_instructions(self.instructions.clone())
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = self.tools.described().into_iter().map(|(name, says, schema)| {
            let hints = ToolAnnotations::new().read_only(true).open_world(false);
            Tool::new(name, says, schema).with_annotations(hints)
        });
        Ok(ListToolsResult::with_all_items(tools.collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let tools = Arc::clone(&self.tools);
        // A plan takes a processor for a moment; the stream must stay heard meanwhile.
        let called = tokio::task::spawn_blocking(move || {
            tools.call(&request.name, &request.arguments.unwrap_or_default())
        });
        let called =
            called.await.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        let result = match called {
            Ok(answer) => {
                let structured = serde_json::from_str::<Value>(&answer.printed).ok();
                let texts = std::iter::once(answer.printed).chain(answer.said);
                let mut result = CallToolResult::success(texts.map(ContentBlock::text).collect());
                result.structured_content = structured.filter(Value::is_object);
                result
            }
            // The assistant can mend its call when it reads what is wrong.
            Err(refused) => {
                let (error, words) = *refused;
                let trouble = error.into_trouble();
                let said = std::iter::once(&trouble.phrase).chain(&trouble.hints);
                let said = said.map(|phrase| ContentBlock::text(words.say(phrase)));
                CallToolResult::error(said.collect())
            }
        };
        Ok(result.into())
    }
}
